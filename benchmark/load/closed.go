package main

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// closed has connections that send a request as soon as the one before was answered.
func closed(o options) (*measurement, error) {
	r := newRecorder()
	c, err := newClient(o, r)
	if err != nil {
		return nil, err
	}
	request := append(c.head(o, o.size, o.close), make([]byte, o.size)...)
	tickets := 0
	if o.close {
		if tickets, err = c.countTickets(o, request); err != nil {
			return nil, err
		}
	}
	var stop atomic.Bool
	var running sync.WaitGroup
	for i := 0; i < o.connections; i++ {
		running.Add(1)
		go func() {
			defer running.Done()
			c.repeat(request, o, &stop)
		}()
	}
	time.Sleep(o.warmup)
	var m *measurement
	if err = r.begin(o.pids); err == nil {
		time.Sleep(o.duration)
		m, err = r.end(o.pids)
	}
	stop.Store(true)
	running.Wait()
	if err == nil && o.close {
		m.Details["tickets"] = tickets
	}
	return m, err
}

func (c *client) repeat(request []byte, o options, stop *atomic.Bool) {
	var conn net.Conn
	var reader *bufio.Reader
	for failures := 0; !stop.Load() && failures < 10; {
		var err error
		start := time.Now()
		if conn == nil {
			if conn, err = c.dial(false); err == nil {
				reader = bufio.NewReaderSize(conn, 16*1024)
			}
		}
		if err == nil {
			err = exchange(conn, reader, request, o.expected())
		}
		c.recorder.report(time.Since(start), err)
		if err != nil {
			failures++
		}
		if conn != nil && (err != nil || o.close) {
			_ = conn.Close()
			conn = nil
		}
	}
	if conn != nil {
		_ = conn.Close()
	}
}
