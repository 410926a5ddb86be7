//go:build !linux

package drain

import "errors"

func setMinTTL(any, int) error { return errors.ErrUnsupported }

func hasPending(any) bool { return false }
