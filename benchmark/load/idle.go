package main

import (
	"bufio"
	"net"
	"time"
)

// idle opens connections with one request each, and tells the server's memory before and after.
func idle(o options) (*measurement, error) {
	r := newRecorder()
	c, err := newClient(o, r)
	if err != nil {
		return nil, err
	}
	request := c.head(0, false)
	if err := r.begin(o.pids); err != nil {
		return nil, err
	}
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	}()
	for i := 0; i < o.connections; i++ {
		start := time.Now()
		conn, err := c.dial(false)
		if err == nil {
			open = append(open, conn)
			err = exchange(conn, bufio.NewReaderSize(conn, 1024), request, 0)
		}
		r.report(time.Since(start), err)
	}
	time.Sleep(o.duration)
	m, err := r.end(o.pids)
	if err == nil {
		m.Details["rss_before_bytes"] = r.before.rss
		m.Details["rss_bytes_per_connection"] = float64(m.RSS-r.before.rss) / float64(o.connections)
	}
	return m, err
}
