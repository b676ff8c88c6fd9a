package main

import (
	"bufio"
	"net"
	"sync"
	"time"
)

// kept sends requests over open connections, at a fixed rate of all of them, whether the server keeps up or not. The connections
// take turns. The latency counts from when the request was due.
func kept(o options) (*measurement, error) {
	r := newRecorder()
	c, err := newClient(o, r)
	if err != nil {
		return nil, err
	}
	var connections []net.Conn
	defer func() {
		for _, conn := range connections {
			_ = conn.Close()
		}
	}()
	for i := 0; i < o.connections; i++ {
		conn, err := c.dial(false)
		if err != nil {
			return nil, err
		}
		connections = append(connections, conn)
	}
	c.takeTurns(connections, o, o.warmup)
	if err := r.begin(o.pids); err != nil {
		return nil, err
	}
	before := threadsOf(r.before.pids)
	c.takeTurns(connections, o, o.duration)
	after := threadsOf(r.before.pids)
	m, err := r.end(o.pids)
	if err == nil && m.Requests > 0 {
		uses := after.since(before, m.Requests)
		cpu := 0.0
		for _, use := range uses {
			cpu += use.CPUMicros
		}
		// At a low rate, the ticks of /proc/PID/stat are too coarse
		m.CPUMicros, m.Details["threads"] = &cpu, uses
	}
	return m, err
}

func (c *client) takeTurns(connections []net.Conn, o options, duration time.Duration) {
	request := append(c.head(o, o.size, false), make([]byte, o.size)...)
	count, start := int(o.rate*duration.Seconds()), time.Now()
	var running sync.WaitGroup
	for first, conn := range connections {
		running.Add(1)
		go func(first int, conn net.Conn) {
			defer running.Done()
			reader := bufio.NewReaderSize(conn, 16*1024)
			for i := first; i < count; i += len(connections) {
				due := start.Add(time.Duration(float64(i) / o.rate * float64(time.Second)))
				time.Sleep(time.Until(due))
				err := exchange(conn, reader, request, o.expected())
				c.recorder.report(time.Since(due), err)
				if err != nil {
					return
				}
			}
		}(first, conn)
	}
	running.Wait()
}
