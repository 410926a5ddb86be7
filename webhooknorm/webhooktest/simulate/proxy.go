package simulate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// graphHost is the host whose connections the proxy intercepts.
const graphHost = "graph.facebook.com"

// authorityName is the common name of the certificate authority. A file with another certificate isn't replaced.
const authorityName = "hailmark simulate"

// A Proxy is an HTTPS proxy that hands connections to graph.facebook.com over to a handler. It refuses any other
// host.
type Proxy struct {
	config  *tls.Config
	handler http.Handler
}

// NewProxy makes a certificate authority and a certificate, which are valid for a day, and writes the authority's
// certificate to a file, in PEM. The keys stay in memory. It replaces the file only if an earlier call made it.
func NewProxy(caFile string, handler http.Handler) (*Proxy, error) {
	authority, certificate, err := newCertificate()
	if err != nil {
		return nil, err
	}
	if err := writeAuthority(caFile, authority); err != nil {
		return nil, err
	}
	return &Proxy{&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, handler}, nil
}

func writeAuthority(file string, authority []byte) error {
	old, err := os.ReadFile(file)
	switch {
	case err == nil && !isOurs(old):
		return fmt.Errorf("%s contains something else; choose another file for the certificate authority", file)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	return os.WriteFile(file, authority, 0o644)
}

func isOurs(file []byte) bool {
	block, _ := pem.Decode(file)
	if block == nil {
		return false
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	return err == nil && certificate.Subject.CommonName == authorityName
}

func newCertificate() (authority []byte, certificate tls.Certificate, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, certificate, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, certificate, err
	}
	since, until := time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: authorityName}, NotBefore: since, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		PermittedDNSDomains: []string{graphHost}, PermittedDNSDomainsCritical: true,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano() + 1), Subject: pkix.Name{CommonName: graphHost}, NotBefore: since, NotAfter: until,
		DNSNames: []string{graphHost}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return nil, certificate, err
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), caKey)
	if err != nil {
		return nil, certificate, err
	}
	authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})
	return authority, tls.Certificate{Certificate: [][]byte{der, caDER}, PrivateKey: key}, nil
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect || r.Host != graphHost+":443" {
		http.Error(w, "hailmark simulate only forwards CONNECT to "+graphHost+":443", http.StatusForbidden)
		return
	}
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "the connection can't be taken over", http.StatusInternalServerError)
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return // the connection is gone
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return
	}
	server := http.Server{Handler: p.handler, ReadHeaderTimeout: 30 * time.Second, ErrorLog: nil}
	_ = server.Serve(newOneConn(tls.Server(conn, p.config))) // ends with the connection
}

// A oneConn is a listener with one connection.
type oneConn struct {
	conns chan net.Conn
	addr  net.Addr
}

func newOneConn(conn net.Conn) *oneConn {
	l := &oneConn{make(chan net.Conn, 1), conn.LocalAddr()}
	l.conns <- closing{conn, sync.OnceFunc(func() { close(l.conns) })}
	return l
}

func (l *oneConn) Accept() (net.Conn, error) {
	if conn, ok := <-l.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return l.addr }

// A closing connection calls a function when it's closed.
type closing struct {
	net.Conn
	closed func()
}

func (c closing) Close() error {
	c.closed()
	return c.Conn.Close()
}
