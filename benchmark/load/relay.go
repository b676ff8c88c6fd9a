package main

import (
	"io"
	"net"
	"time"
)

// relay hands on each connection, with a delay of all bytes in each direction. It takes the place of a network
// with a delay where the kernel cannot make one (tc-netem(8)). The TCP handshake itself is not delayed.
func relay(o options) error {
	listener, err := net.Listen("tcp4", o.listen)
	if err != nil {
		return err
	}
	time.AfterFunc(o.duration, func() { _ = listener.Close() })
	for {
		client, err := listener.Accept()
		if err != nil {
			return nil
		}
		go func() {
			server, err := net.Dial("tcp4", o.url)
			if err != nil {
				_ = client.Close()
				return
			}
			go pump(server, client, o.delay)
			pump(client, server, o.delay)
		}()
	}
}

type chunk struct {
	due   time.Time
	bytes []byte
}

func pump(to io.WriteCloser, from io.Reader, delay time.Duration) {
	chunks := make(chan chunk, 1024)
	go func() {
		defer close(chunks)
		for {
			buffer := make([]byte, 16*1024)
			count, err := from.Read(buffer)
			if count > 0 {
				chunks <- chunk{time.Now().Add(delay), buffer[:count]}
			}
			if err != nil {
				return
			}
		}
	}()
	for c := range chunks {
		time.Sleep(time.Until(c.due))
		if _, err := to.Write(c.bytes); err != nil {
			break
		}
	}
	_ = to.Close()
	for range chunks {
	}
}
