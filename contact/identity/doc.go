// Package identity decides which ids belong to one person.
package identity
