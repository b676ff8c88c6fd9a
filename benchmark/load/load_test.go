package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func TestPercentileIsNearestRank(t *testing.T) {
	var values []float64
	for i := 1; i <= 200; i++ {
		values = append(values, float64(i))
	}
	for percent, expected := range map[float64]float64{50: 100, 95: 190, 99: 198, 100: 200} {
		if actual := percentile(values, percent); actual != expected {
			t.Errorf("p%v is %v instead of %v", percent, actual, expected)
		}
	}
	if actual := percentile([]float64{7}, 99); actual != 7 {
		t.Errorf("p99 of one value is %v", actual)
	}
}

func TestSummaryOfNothingIsNone(t *testing.T) {
	if summarize(nil) != nil {
		t.Error("there is a summary of nothing")
	}
}

func TestStatWithParenthesesInTheName(t *testing.T) {
	line := "42 (a (b) c) S 7 42 42 0 -1 4194560 1 0 0 0 250 50 9 9 20 0 1 0 100 4096 3 0"
	p, err := parseStat(line)
	if err != nil || p.pid != 42 || p.parent != 7 || p.ticks != 300 || p.rss != 3*int64(os.Getpagesize()) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := parseStat("42 (short) S 7"); err == nil {
		t.Error("a short line was accepted")
	}
}

func TestUsageOfThisProcess(t *testing.T) {
	sum, err := serverUsage(strconv.Itoa(os.Getpid()))
	if err != nil || sum.rss == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := serverUsage("999999999"); err == nil {
		t.Error("a process that has ended was accepted")
	}
}

func TestErrorsOfTheWarmUpCountAndItsRequestsDoNot(t *testing.T) {
	pid := strconv.Itoa(os.Getpid())
	r := newRecorder()
	r.report(time.Second, nil)
	r.report(time.Second, errors.New("refused"))
	if err := r.begin(pid); err != nil {
		t.Fatal(err)
	}
	r.report(3*time.Millisecond, nil)
	m, err := r.end(pid)
	if err != nil || m.Requests != 1 || m.Errors != 1 || m.Latency.Max != 3000 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestShareOfCompilers(t *testing.T) {
	before := usage{ticks: 100, compilers: map[int]int64{1: 40, 2: 10, 3: 5}}
	// The third has ended, the fourth is new
	after := usage{ticks: 200, compilers: map[int]int64{1: 60, 2: 10, 4: 5}}
	if share, known := after.compilerShare(before); !known || math.Abs(share-0.25) > 1e-9 {
		t.Errorf("%v, %v", share, known)
	}
	if _, known := (usage{ticks: 200}).compilerShare(usage{ticks: 100}); known {
		t.Error("there is a share without a JVM")
	}
}

func TestANeighbourIsBusyHalfOfTheTimeUntilItsInputEnds(t *testing.T) {
	input, end := io.Pipe()
	start := time.Now()
	time.AfterFunc(300*time.Millisecond, func() { _ = end.Close() })
	busy := neighbour(input)
	if all := time.Since(start); busy < all/10 || busy > all*9/10 {
		t.Errorf("busy for %v of %v", busy, all)
	}
}

// serve starts a server with TLS that answers "ok", and returns the options for it.
func serve(t *testing.T, config *tls.Config) options {
	return serveBy(t, config, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok"))
	})
}

func serveBy(t *testing.T, config *tls.Config, handler http.HandlerFunc) options {
	server := httptest.NewUnstartedServer(handler)
	server.TLS = config
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca")
	block := pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	if err := os.WriteFile(ca, pem.EncodeToMemory(&block), 0o600); err != nil {
		t.Fatal(err)
	}
	return options{url: server.URL, ca: ca, pids: strconv.Itoa(os.Getpid()), connections: 2, group: "x25519",
		close: true}
}

func TestClosedMakesAConnectionForEachRequest(t *testing.T) {
	o := serve(t, &tls.Config{})
	o.duration = 200 * time.Millisecond
	m, err := closed(o)
	if err != nil || m.Requests == 0 || m.Errors != 0 || m.Details["tickets"] != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	if m.Details["full_handshakes"].(int) < m.Requests || m.Details["resumed_handshakes"] != 0 {
		t.Errorf("%+v", m.Details)
	}
}

func TestKeptSendsAtItsRateOverOpenConnections(t *testing.T) {
	o := serve(t, &tls.Config{})
	o.close, o.connections, o.rate, o.response = false, 3, 500, 2
	o.warmup, o.duration = 50*time.Millisecond, 200*time.Millisecond
	m, err := kept(o)
	if err != nil || m.Requests != 100 || m.Errors != 0 || m.Details["full_handshakes"] != 3 || m.Latency.P999 != m.Latency.Max {
		t.Fatalf("%+v, %v", m, err)
	}
	if len(m.Details["threads"].([]threadUse)) == 0 || *m.CPUMicros <= 0 {
		t.Errorf("%+v", m.Details)
	}
	o.response = 3
	if m, err = kept(o); err != nil || m.Errors != 6 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestTheLatencyOfKeptCountsFromThePlannedTime(t *testing.T) {
	o := serveBy(t, &tls.Config{}, func(http.ResponseWriter, *http.Request) { time.Sleep(30 * time.Millisecond) })
	o.connections, o.rate, o.duration = 1, 100, 100*time.Millisecond
	if m, err := kept(o); err != nil || m.Requests != 10 || m.Latency.Max < 200_000 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestThreadsThatHaveWorkedAreTold(t *testing.T) {
	before := threads{1: {"exec-1", 1000, 1, 1}, 2: {"Poller", 1000, 1, 1}, 3: {"ended", 1, 1, 1}}
	uses := threads{1: {"exec-1", 5000, 2, 1}, 2: {"Poller", 1000, 1, 1}}.since(before, 2)
	if len(uses) != 1 || uses[0] != (threadUse{1, "exec-1", 2, 0.5, 0}) {
		t.Errorf("%+v", uses)
	}
	uses = threads{4: {"new", 2000, 2, 0}}.since(before, 2)
	if len(uses) != 1 || uses[0] != (threadUse{4, "new", 1, 1, 0}) {
		t.Errorf("%+v", uses)
	}
	own := threadsOf([]int{os.Getpid()})
	if one, found := own[os.Getpid()]; !found || one.name == "" || one.voluntary+one.involuntary == 0 {
		t.Errorf("%+v", own)
	}
}

func TestARequestCanHaveTenHeadersMore(t *testing.T) {
	c := &client{url: &url.URL{Scheme: "http", Host: "localhost", Path: "/json"}}
	count := func(o options) int { return bytes.Count(c.head(o, 0, false), []byte("\r\n")) }
	if more := count(options{headers: true}) - count(options{}); more != 10 {
		t.Errorf("%d headers", more)
	}
}

func TestAClientHasItsCertificate(t *testing.T) {
	o := serve(t, &tls.Config{ClientAuth: tls.RequireAnyClientCert})
	o.duration = 50 * time.Millisecond
	if m, err := closed(o); err == nil {
		t.Errorf("without a certificate: %+v", m)
	}
	o.cert, o.key = selfSigned(t)
	if m, err := closed(o); err != nil || m.Errors != 0 {
		t.Errorf("%+v, %v", m, err)
	}
}

// selfSigned makes a certificate, and returns its file and that of its key.
func selfSigned(t *testing.T) (string, string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind string, content []byte) string {
		path := filepath.Join(t.TempDir(), "pem")
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("CERTIFICATE", certificate), write("PRIVATE KEY", encoded)
}

// writes counts what a client writes to a server.
type writes struct {
	net.Conn
	count *int
}

func (w writes) Write(data []byte) (int, error) {
	*w.count++
	return w.Conn.Write(data)
}

func TestSequenceWritesTheRequestWithTheEndOfTheHandshake(t *testing.T) {
	o := serve(t, &tls.Config{})
	o.requests = 3
	if m, err := sequence(o); err != nil || m.Requests != 3 || m.Details["full_handshakes"] != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	c, err := newClient(o, newRecorder())
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	c.wrap = func(conn net.Conn) net.Conn { return &heldConn{Conn: writes{conn, &count}} }
	conn, err := c.dial(false)
	if err == nil {
		err = exchange(conn, bufio.NewReader(conn), c.head(o, 0, true), 0)
	}
	if err != nil || count != 2 {
		t.Errorf("%d writes, %v", count, err)
	}
}

// reads counts the bytes that a client reads from a server.
type reads struct {
	net.Conn
	count *int
}

func (r reads) Read(data []byte) (int, error) {
	length, err := r.Conn.Read(data)
	*r.count += length
	return length, err
}

func TestAClientThatDoesNotResumeGetsTicketsToo(t *testing.T) {
	received := map[bool]int{}
	for _, disabled := range []bool{false, true} {
		o := serve(t, &tls.Config{SessionTicketsDisabled: disabled})
		c, err := newClient(o, newRecorder())
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		c.wrap = func(conn net.Conn) net.Conn { return reads{conn, &count} }
		if err := c.once(c.head(o, 0, true), false); err != nil {
			t.Fatal(err)
		}
		received[disabled] = count
	}
	if received[false] < received[true]+50 {
		t.Errorf("%d bytes instead of %d without tickets", received[false], received[true])
	}
}

func TestClosedWantsTheGroupTheCertificateAndTLS13(t *testing.T) {
	for name, config := range map[string]*tls.Config{"group": {CurvePreferences: []tls.CurveID{tls.CurveP256}},
		"certificate": {}, "protocol": {MaxVersion: tls.VersionTLS12}} {
		o := serve(t, config)
		if name == "certificate" {
			o.url = "https://localhost" + o.url[len("https://127.0.0.1"):]
		}
		if m, err := closed(o); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
