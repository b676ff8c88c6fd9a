package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"
)

func TestARotationReplacesAllNamesAndLetsTheFirstGo(t *testing.T) {
	folder := t.TempDir()
	names, err := newRotation(folder, 3)
	if err != nil {
		t.Fatal(err)
	}
	var before []byte
	for number := 0; number < 2; number++ {
		if err := names.rotate(); err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(folder, "*"))
		if len(files) != 3 || filepath.Base(files[0]) != hostName(number)+".pem" {
			t.Errorf("%v", files)
		}
		if before == nil {
			before = names.leaves[hostName(1)]
		}
	}
	served := func(certificate []byte) *http.Response {
		return &http.Response{TLS: &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: certificate}}}}
	}
	if err := names.check(hostName(1), served(before)); err != nil {
		t.Errorf("right after the rotation: %v", err)
	}
	names.at = time.Now().Add(-2 * rotationSettles)
	if err := names.check(hostName(1), served(before)); err == nil {
		t.Error("a certificate that was replaced is taken")
	}
	if err := names.check(hostName(1), served(names.leaves[hostName(1)])); err != nil {
		t.Error(err)
	}
}

func TestAConnectionIsCutAfterItsBytes(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	cut := &cutConn{conn, 7}
	if n, err := cut.Write([]byte("12345")); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := cut.Write([]byte("12345")); n != 2 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := io.ReadAll(server); err == nil {
		t.Error("the connection was not reset")
	}
}

func TestAStrangerReportsAServerThatLetsItWait(t *testing.T) {
	hello := clientHello("localhost")
	if len(hello) < 100 || hello[0] != 22 || hello[5] != 1 {
		t.Errorf("no ClientHello: %x", hello)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s := &strangers{address: listener.Addr().String(), hello: hello, patience: 50 * time.Millisecond}
	if err := s.garbage(); err == nil {
		t.Error("a server that says nothing is taken")
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	s.patience = 10 * time.Second
	if err := s.garbage(); err != nil {
		t.Error(err)
	}
	if s.counts["garbage"] != 2 {
		t.Errorf("%v", s.counts)
	}
}
