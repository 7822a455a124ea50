package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/features"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/test/bufconn"
)

const (
	etcdMemberName = "workshop"
	// etcdMemberURL names the one member in etcd's own records. Nothing listens
	// there and nothing dials it.
	etcdMemberURL = "http://etcd.invalid:2380"
	// etcdElectionTicks is short: there is no other member to hear from, so a
	// long wait before the member elects itself would only delay the start.
	etcdElectionTicks = 2
	// etcdPipeSize is the buffer of each in-memory connection.
	etcdPipeSize = 256 << 10
	// etcdMinPing is etcd's own limit.
	etcdMinPing = 5 * time.Second
	// etcdStartTimeout is generous for a slow disk.
	etcdStartTimeout = time.Minute
)

// etcd is an etcd server that is reachable through memory only: it has neither
// a port nor a socket file, so no other process on the machine, whoever owns it,
// can read or change the data while it runs.
type etcd struct {
	server   *etcdserver.EtcdServer
	rpc      *grpc.Server
	listener *bufconn.Listener
	served   chan error
}

// startEtcd starts the server on the data in dir and waits until it can serve.
func startEtcd(ctx context.Context, dir string) (*etcd, error) {
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	cfg, err := etcdConfig(dir)
	if err != nil {
		return nil, err
	}
	server, err := etcdserver.NewServer(cfg)
	if err != nil {
		return nil, fmt.Errorf("open etcd data in %s: %w", dir, err)
	}
	e := &etcd{
		server:   server,
		listener: bufconn.Listen(etcdPipeSize),
		served:   make(chan error, 1),
	}
	server.Start()
	// The API server's client pings more often than gRPC allows by default.
	e.rpc = v3rpc.Server(server, nil, nil, grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: etcdMinPing}))
	go func() { e.served <- e.rpc.Serve(e.listener) }()
	if err := e.waitReady(ctx); err != nil {
		e.stop()
		return nil, err
	}
	return e, nil
}

// etcdConfig is the configuration of a single member with etcd's own defaults;
// writes are synced to disk before they are acknowledged.
func etcdConfig(dir string) (config.ServerConfig, error) {
	logger, err := etcdLogger()
	if err != nil {
		return config.ServerConfig{}, err
	}
	member, err := url.Parse(etcdMemberURL)
	if err != nil {
		return config.ServerConfig{}, fmt.Errorf("parse etcd member URL: %w", err)
	}
	urls := types.URLs{*member}
	return config.ServerConfig{
		Name:                        etcdMemberName,
		ClientURLs:                  urls,
		PeerURLs:                    urls,
		InitialPeerURLsMap:          types.URLsMap{etcdMemberName: urls},
		InitialClusterToken:         kubeconfigName,
		NewCluster:                  true,
		DataDir:                     dir,
		SnapshotCount:               etcdserver.DefaultSnapshotCount,
		SnapshotCatchUpEntries:      etcdserver.DefaultSnapshotCatchUpEntries,
		MaxSnapFiles:                2,
		MaxWALFiles:                 2,
		BackendFreelistType:         bolt.FreelistMapType,
		TickMs:                      100,
		ElectionTicks:               etcdElectionTicks,
		InitialElectionTickAdvance:  true,
		PreVote:                     true,
		MaxTxnOps:                   128,
		MaxRequestBytes:             1536 << 10,
		MaxConcurrentStreams:        math.MaxUint32,
		WarningApplyDuration:        time.Second,
		WarningUnaryRequestDuration: time.Second,
		StrictReconfigCheck:         true,
		CompactHashCheckTime:        time.Minute,
		DowngradeCheckTime:          time.Minute,
		MaxLearners:                 1,
		V2Deprecation:               config.V2DeprDefault,
		ServerFeatureGate:           features.NewDefaultServerFeatureGate(etcdMemberName, logger),
		Metrics:                     "basic",
		Logger:                      logger,
	}, nil
}

// etcdLogger writes warnings and errors to standard error.
func etcdLogger() (*zap.Logger, error) {
	cfg := zap.NewProductionConfig()
	cfg.Level = zap.NewAtomicLevelAt(zap.WarnLevel)
	cfg.DisableCaller = true
	logger, err := cfg.Build()
	if err != nil {
		return nil, fmt.Errorf("build etcd logger: %w", err)
	}
	return logger, nil
}

// waitReady waits until the member has elected itself and published its name.
func (e *etcd) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, etcdStartTimeout)
	defer cancel()
	select {
	case <-e.server.ReadyNotify():
		return nil
	case <-e.server.StopNotify():
		return errors.New("etcd stopped while starting")
	case err := <-e.served:
		return fmt.Errorf("serve etcd: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("wait for etcd: %w", ctx.Err())
	}
}

// dial connects to the server; network and address are those of a dialer's
// signature and mean nothing here.
func (e *etcd) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	conn, err := e.listener.DialContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	return conn, nil
}

// stop ends all connections and closes the data files.
func (e *etcd) stop() {
	e.rpc.Stop()
	e.server.Stop()
}
