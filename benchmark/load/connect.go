package main

import (
	"bufio"
	"errors"
	"fmt"
	"sync"
	"time"
)

// What the server is behind by at most, before connections count as failed
const maxInFlight = 2000

var errNoTickets = errors.New("the server gives no session tickets")

// connect opens a connection per request at a fixed rate, whether the server keeps up or not. The latency
// counts from when the connection was due, so that a server that stalls cannot hide it.
func connect(o options) (*measurement, error) {
	r := newRecorder()
	c, err := newClient(o, r)
	if err != nil {
		return nil, err
	}
	request := c.head(o, 0, true)
	if o.resume {
		if err := c.once(request, false); err != nil {
			return nil, fmt.Errorf("no session to resume: %w", err)
		}
		if c.sessions.count == 0 {
			return nil, errNoTickets
		}
	}
	tickets, err := c.countTickets(o, request)
	if err != nil {
		return nil, err
	}
	var running sync.WaitGroup
	slots := make(chan struct{}, maxInFlight)
	send := func(due time.Time) {
		select {
		case slots <- struct{}{}:
		default:
			r.report(0, fmt.Errorf("%d connections are open already", maxInFlight))
			return
		}
		running.Add(1)
		go func() {
			defer running.Done()
			err := c.once(request, o.resume)
			r.report(time.Since(due), err)
			<-slots
		}()
	}
	pace(o.rate, o.warmup, send)
	running.Wait()
	if err := r.begin(o.pids); err != nil {
		return nil, err
	}
	pace(o.rate, o.duration, send)
	running.Wait()
	m, err := r.end(o.pids)
	if err == nil {
		m.Details["tickets"] = tickets
	}
	return m, err
}

func pace(rate float64, duration time.Duration, send func(time.Time)) {
	start := time.Now()
	count := int(rate * duration.Seconds())
	for i := 0; i < count; i++ {
		due := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		time.Sleep(time.Until(due))
		send(due)
	}
}

func (c *client) once(request []byte, expectResumed bool) error {
	conn, err := c.dial(expectResumed)
	if err != nil {
		return err
	}
	defer conn.Close()
	return exchange(conn, bufio.NewReaderSize(conn, 1024), request, 0)
}

// countTickets tells how many session tickets the server sends after a full handshake.
func (c *client) countTickets(o options, request []byte) (int, error) {
	if c.tls == nil {
		return 0, nil
	}
	o.resume = true
	probe, err := newClient(o, newRecorder())
	if err != nil {
		return 0, err
	}
	if err := probe.once(request, false); err != nil {
		return 0, err
	}
	return probe.sessions.count, nil
}
