// Command load drives one workload against a server and prints what it measured as JSON.
//
//	load connect   a new connection per request, at a fixed offered rate
//	load closed    kept-alive connections, each with one request after the other, or with -close a new one for each
//	load kept      kept-alive connections, at a fixed rate of all of them
//	load sequence  a number of requests one after the other, with a pause before each
//	load run       runs another load generator, and measures the server's CPU meanwhile
//	load neighbour keeps half a core busy until its standard input ends
//	load first     connects again and again until the first request is answered
//	load certificates makes certificates for a number of names
//	load week      clients and strangers at once, and certificates that are replaced
//
// Only TLS 1.3 with one group is offered, certificates are verified, and each connection is checked for
// the protocol, the cipher suite and whether it resumed a session. Exits with 3 where there is nothing to resume.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

type options struct {
	url         string
	ca          string
	cert        string
	key         string
	pids        string
	rate        float64
	connections int
	size        int
	headers     bool
	response    int
	group       string
	names       int
	resume      bool
	close       bool
	warmup      time.Duration
	duration    time.Duration
	requests    int
	pause       time.Duration
	output      string
}

// expected is the length of the response's body; 0 is any.
func (o options) expected() int {
	if o.size > 0 {
		return o.size
	}
	return o.response
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		if errors.Is(err, errNoTickets) {
			os.Exit(3)
		}
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("usage: load connect|closed|kept|sequence|run|neighbour|first|certificates|week [OPTION...]")
	}
	if arguments[0] == "neighbour" {
		neighbour(os.Stdin)
		return nil
	}
	var o options
	flags := flag.NewFlagSet(arguments[0], flag.ExitOnError)
	flags.StringVar(&o.url, "url", "", "https://localhost:PORT/PATH, or http")
	flags.StringVar(&o.ca, "ca", "", "file of the certificate that the server has")
	flags.StringVar(&o.cert, "cert", "", "file of the client's certificate, if it has one")
	flags.StringVar(&o.key, "key", "", "file of its key")
	flags.StringVar(&o.pids, "pids", "", "processes of the server, without their descendants")
	flags.Float64Var(&o.rate, "rate", 100, "connections or requests per second")
	flags.IntVar(&o.connections, "connections", 40, "connections at the same time")
	flags.IntVar(&o.size, "size", 0, "bytes of the body to POST; 0 for GET")
	flags.BoolVar(&o.headers, "headers", false, "whether a request has ten headers, as a browser's behind a proxy")
	flags.IntVar(&o.response, "response", 0, "bytes of the response to a GET, if they are checked")
	flags.StringVar(&o.group, "group", "x25519", "the group to offer: x25519 or x25519mlkem768, which Go has since 1.24; for certificates the type of their keys, ec or rsa")
	flags.IntVar(&o.names, "names", 0, "how many names to ask for at random, or to make certificates for; 0 for the name of the URL")
	flags.BoolVar(&o.resume, "resume", false, "whether connections resume a session")
	flags.BoolVar(&o.close, "close", false, "whether each request has a connection of its own")
	flags.DurationVar(&o.warmup, "warmup", 2*time.Second, "time before what is measured")
	flags.DurationVar(&o.duration, "duration", 5*time.Second, "time that is measured")
	flags.IntVar(&o.requests, "requests", 100, "requests of a sequence")
	flags.DurationVar(&o.pause, "pause", 2*time.Millisecond, "time before each write of a sequence")
	flags.StringVar(&o.output, "output", "", "file for what a run prints, or folder for certificates")
	if err := flags.Parse(arguments[1:]); err != nil {
		return err
	}
	switch arguments[0] {
	case "certificates":
		return certificates(o)
	case "first":
		return first(o)
	}
	var measured *measurement
	var err error
	switch arguments[0] {
	case "connect":
		measured, err = connect(o)
	case "closed":
		measured, err = closed(o)
	case "kept":
		measured, err = kept(o)
	case "sequence":
		measured, err = sequence(o)
	case "week":
		measured, err = week(o)
	case "run":
		measured, err = runCommand(o, flags.Args())
	default:
		return fmt.Errorf("unknown workload '%s'", arguments[0])
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(measured)
}
