package redislimit_test

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
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// testCertificate is the certificate of servers with TLS in tests, and its own CA.
var testCertificate struct {
	file, keyFile string
	roots         *x509.CertPool
}

// writeCertificate makes the test certificate, and makes the system of this process trust
// it: on Linux, Go reads these variables once, when it first needs the roots.
func writeCertificate(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "Redis of a test"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	c := &testCertificate
	c.file, c.keyFile, c.roots = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()
	c.roots.AppendCertsFromPEM(certificate)
	if err := os.WriteFile(c.file, certificate, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(c.keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600); err != nil {
		return err
	}
	return errors.Join(os.Setenv("SSL_CERT_FILE", c.file), os.Setenv("SSL_CERT_DIR", dir))
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port
}

// startTLSServer starts a server with a password, and returns the address of its TLS
// listener.
func startTLSServer(t *testing.T) string {
	t.Helper()
	port := freePort(t)
	startServer(t, "--tls-port", fmt.Sprint(port), "--tls-cert-file", testCertificate.file, "--tls-key-file", testCertificate.keyFile,
		"--tls-auth-clients", "no", "--requirepass", "secret")
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func TestPassword(t *testing.T) {
	s := startServer(t, "--requirepass", "secret")
	requireCountTogether(t, func() redislimit.Config {
		return redislimit.Config{URL: fmt.Sprintf("redis://:secret@127.0.0.1:%d", s.port)}
	})
}

func TestTLS(t *testing.T) {
	addr := startTLSServer(t)
	roots, err := x509.SystemCertPool()
	require.NoError(t, err)
	if !roots.Equal(testCertificate.roots) {
		t.Skip("skipped: this system has certificates that a test cannot replace")
	}
	requireCountTogether(t, func() redislimit.Config { return redislimit.Config{URL: "rediss://:secret@" + addr} })
}

func TestTLSClient(t *testing.T) {
	addr := startTLSServer(t)
	requireCountTogether(t, func() redislimit.Config {
		client := redis.NewClient(&redis.Options{Addr: addr, Password: "secret", TLSConfig: &tls.Config{RootCAs: testCertificate.roots}})
		t.Cleanup(func() { _ = client.Close() })
		return redislimit.Config{Client: client}
	})
}

func TestUntrustedCertificate(t *testing.T) {
	addr := startTLSServer(t)
	client := redis.NewClient(&redis.Options{Addr: addr, Password: "secret", TLSConfig: &tls.Config{RootCAs: x509.NewCertPool()}})
	defer func() { _ = client.Close() }()
	log := &logbook{}
	l, err := redislimit.New(redislimit.Config{Client: client, Logger: log.logger()})
	require.NoError(t, err)
	defer l.Close()
	require.Contains(t, log.String(), "certificate")
}

func TestSentinel(t *testing.T) {
	s := startServer(t)
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "sentinel monitor counters 127.0.0.1 %d 1\n", s.port), 0o600))
	port := freePort(t)
	sentinel := exec.Command("redis-server", file, "--sentinel", "--port", fmt.Sprint(port), "--bind", "127.0.0.1")
	require.NoError(t, sentinel.Start())
	t.Cleanup(func() {
		_ = sentinel.Process.Kill()
		_ = sentinel.Wait()
	})
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	monitor := redis.NewSentinelClient(&redis.Options{Addr: addr})
	defer func() { _ = monitor.Close() }()
	require.Eventually(t, func() bool {
		master, err := monitor.GetMasterAddrByName(t.Context(), "counters").Result()
		return err == nil && len(master) == 2 && master[1] == fmt.Sprint(s.port)
	}, time.Minute, 20*time.Millisecond)
	requireCountTogether(t, func() redislimit.Config {
		client := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "counters", SentinelAddrs: []string{addr}})
		t.Cleanup(func() { _ = client.Close() })
		return redislimit.Config{Client: client}
	})
}

// The script touches one key, so each node of a cluster can run it for its keys.
func TestClusterOfThree(t *testing.T) {
	var nodes [3]*server
	for i := range nodes {
		nodes[i] = startServer(t, "--cluster-enabled", "yes")
		first, last := i*16384/3, (i+1)*16384/3-1
		require.NoError(t, nodes[i].client(t).ClusterAddSlotsRange(t.Context(), first, last).Err())
		require.NoError(t, nodes[i].client(t).Do(t.Context(), "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err())
	}
	for _, node := range nodes[1:] {
		require.NoError(t, nodes[0].client(t).ClusterMeet(t.Context(), "127.0.0.1", fmt.Sprint(node.port)).Err())
	}
	for _, node := range nodes {
		client := node.client(t)
		require.Eventually(t, func() bool {
			info := client.ClusterInfo(t.Context()).Val()
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_slots_ok:16384")
		}, time.Minute, 50*time.Millisecond)
	}
	url := fmt.Sprintf("redis://127.0.0.1:%d?addr=127.0.0.1:%d", nodes[0].port, nodes[1].port)
	requireCountTogether(t, func() redislimit.Config { return redislimit.Config{URL: url} })
	for _, node := range nodes {
		require.Positive(t, node.client(t).DBSize(t.Context()).Val(), "each node has counters")
	}

	log := &logbook{}
	l, err := redislimit.New(redislimit.Config{URL: url, Logger: log.logger()})
	require.NoError(t, err)
	defer l.Close()
	requireOutage(t, l, nodes[1])
}

// requireOutage restarts the server of a limiter while requests are counted.
func requireOutage(t *testing.T, l *redislimit.Limiter, s *server) {
	t.Helper()
	counted := func() bool {
		for client := range byte(20) { // their keys are on different nodes of a cluster
			if takeOne(t, l, client).UsedFallback {
				return false
			}
		}
		return true
	}
	require.Eventually(t, counted, time.Minute, 10*time.Millisecond)
	s.kill()
	require.Eventually(t, func() bool { return !counted() }, time.Minute, 10*time.Millisecond)
	time.Sleep(1200 * time.Millisecond)
	s.start(t)
	began := time.Now()
	require.Eventually(t, counted, time.Minute, 10*time.Millisecond)
	t.Logf("counted by the server again after %v", time.Since(began).Round(time.Millisecond))
}

func TestCloseEndsConnections(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it closes lost connections
	s := startServer(t)
	client := s.client(t)
	connections := func() int {
		list, err := client.ClientList(t.Context()).Result()
		require.NoError(t, err)
		return strings.Count(list, "\n")
	}
	before := connections()
	l, _ := newLimiter(t, s, redislimit.NewPatient)
	takeOne(t, l, 1)
	require.Greater(t, connections(), before)
	require.NoError(t, l.Close())
	require.Eventually(t, func() bool { return connections() == before }, time.Minute, time.Millisecond)
}

// A client of the caller has a pool of its own, which contains broken connections.
func TestOutageWithClient(t *testing.T) {
	s := startServer(t)
	log := &logbook{}
	l, err := redislimit.New(redislimit.Config{Client: s.client(t), Logger: log.logger()})
	require.NoError(t, err)
	defer l.Close()
	requireOutage(t, l, s)
}
