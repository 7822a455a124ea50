package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/klog/v2"
)

// loopback is the only address that anything here listens on.
const loopback = "127.0.0.1"

// listen opens the API server's port. A wanted port must be free. Otherwise the
// port of the last start is used again, so that kubeconfigs stay valid, or
// a free one when another process has taken it meanwhile.
func listen(dir string, wanted int) (net.Listener, error) {
	file := filepath.Join(dir, "port")
	listener, err := openPort(file, wanted)
	if err != nil {
		return nil, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := writeFileAtomic(file, []byte(strconv.Itoa(port)+"\n")); err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}

func openPort(file string, wanted int) (net.Listener, error) {
	if wanted != 0 {
		return listenOn(wanted)
	}
	last, err := readPort(file)
	if err != nil {
		klog.InfoS("Ignoring the port of the last start", "err", err)
	}
	if last != 0 {
		listener, err := listenOn(last)
		if err == nil {
			return listener, nil
		}
		klog.InfoS("The port of the last start is taken, choosing another one", "port", last, "err", err)
	}
	return listenOn(0)
}

func listenOn(port int) (net.Listener, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listen on port %d: %w", port, err)
	}
	return listener, nil
}

// readPort returns 0 when no port was recorded.
func readPort(file string) (int, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read port: %w", err)
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 16)
	if err != nil {
		return 0, fmt.Errorf("parse port in %s: %w", file, err)
	}
	return int(port), nil
}
