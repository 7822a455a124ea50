// Command chaos runs the controller of chapter 07 many times under faults,
// and compares what it leaves behind with a model of the chapter's rules.
//
// Run it by scripts/chaos.sh, which brings a cluster up first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"example.com/client-go-workshop/internal/chaos"
	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/embedded"
	"example.com/client-go-workshop/internal/runner"
)

// errFailed says that the result, which is printed already, is not a good one.
var errFailed = errors.New("failed")

func main() { os.Exit(start()) }

func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFailed):
		return 1
	}
	fmt.Fprintln(os.Stderr, "chaos:", err)
	return 2
}

type options struct {
	chaos.Options
	program, fault, only string
	faults, plan         bool
}

func parse(args []string, out io.Writer) (options, error) {
	o := options{Options: chaos.Options{Out: out}}
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.IntVar(&o.Runs, "n", 20, "number of runs; for a fault, how many it may survive")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the first run, the next has the next number; 0 draws one")
	flags.IntVar(&o.Parallel, "parallel", 4, "runs at a time")
	flags.DurationVar(&o.Settle, "settle", 45*time.Second, "how long the controller may take after the last fault")
	flags.StringVar(&o.Logs, "logs", "", "folder for the logs of failing runs (default chaos in the workshop's state directory)")
	flags.StringVar(&o.program, "program", "", "a built controller, in place of the solution")
	flags.StringVar(&o.fault, "fault", "", "a file of faults, or a folder: each must be caught")
	flags.BoolVar(&o.faults, "faults", false, "the chapter's own faults: each must be caught")
	flags.StringVar(&o.only, "run", "", "regular expression that chooses faults by name")
	flags.BoolVar(&o.plan, "plan", false, "print the plan of the seed and do nothing")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.Runs < 1 || o.Parallel < 1:
		return o, errors.New("-n and -parallel must be above zero")
	}
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixMilli())
	}
	if o.Logs == "" {
		dir, err := cluster.StateDir()
		if err != nil {
			return o, err
		}
		o.Logs = filepath.Join(dir, "chaos")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	if o.plan {
		fmt.Fprint(out, chaos.NewPlan(o.Seed))
		return nil
	}
	cfg, err := cluster.Config(ctx)
	if err != nil {
		return err
	}
	if o.Restart, err = restarter(cfg.Host); err != nil {
		return err
	}
	c, err := chaos.New(cfg, o.Options)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d, %d runs, %d at a time\n", o.Seed, o.Runs, o.Parallel)
	if o.fault != "" || o.faults {
		return o.judgeFaults(ctx, c)
	}
	return o.judgeSolution(ctx, c)
}

// restarter restarts the workshop's own cluster, if host is that.
func restarter(host string) (func(context.Context) error, error) {
	path, err := cluster.KubeconfigPath()
	if err != nil {
		return nil, err
	}
	own, err := cluster.LoadFile(path)
	if errors.Is(err, cluster.ErrNoCluster) || err == nil && own.Host != host {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := embedded.New(embedded.Options{})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if err := p.Down(ctx, false); err != nil {
			return err
		}
		return p.Up(ctx, cluster.Quiet{})
	}, nil
}

func (o options) judgeSolution(ctx context.Context, c *chaos.Runner) error {
	program := o.program
	if program == "" {
		dir, err := os.MkdirTemp("", "chaos-program-")
		if err != nil {
			return fmt.Errorf("make a folder for the program: %w", err)
		}
		defer os.RemoveAll(dir)
		builder, err := chaos.NewBuilder(".")
		if err != nil {
			return err
		}
		solution, err := builder.Solution()
		if err != nil {
			return err
		}
		program = filepath.Join(dir, "controller")
		if err := builder.Build(ctx, solution, program); err != nil {
			return err
		}
	}
	report, err := c.Run(ctx, program, false)
	fmt.Fprintf(o.Out, "\n%s", report)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	for _, f := range report.Failures {
		fmt.Fprintf(o.Out, "\nfailed: seed %d; its logs: %s\nagain:  scripts/chaos.sh -n 1 -seed %d\n", f.Seed, f.Logs, f.Seed)
	}
	if len(report.Failures) > 0 {
		return errFailed
	}
	return nil
}

// judgeFaults wants each fault caught, and each right variant to survive.
func (o options) judgeFaults(ctx context.Context, c *chaos.Runner) error {
	builder, err := chaos.NewBuilder(".")
	if err != nil {
		return err
	}
	programs, err := builder.Variants(o.fault, o.only)
	if err != nil {
		return err
	}
	c.Out = nil
	var wrong []string
	for i, p := range programs {
		verdict, ok, err := o.judgeFault(ctx, c, builder, p)
		if err != nil {
			return err
		}
		word := "ok  "
		if !ok {
			word = "FAIL"
			wrong = append(wrong, p.Name)
		}
		fmt.Fprintf(o.Out, "%3d/%d  %s  %s: %s\n", i+1, len(programs), word, p.Name, verdict)
	}
	fmt.Fprintf(o.Out, "\n%d of %d as they should be\n", len(programs)-len(wrong), len(programs))
	if len(wrong) > 0 {
		fmt.Fprintf(o.Out, "not so: %q\n", wrong)
		return errFailed
	}
	return nil
}

func (o options) judgeFault(ctx context.Context, c *chaos.Runner, builder *chaos.Builder, p chaos.Program) (string, bool, error) {
	dir, err := os.MkdirTemp("", "chaos-program-")
	if err != nil {
		return "", false, fmt.Errorf("make a folder for %s: %w", p.Name, err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "controller")
	err = builder.Build(ctx, p, program)
	var compile *runner.CompileError
	if errors.As(err, &compile) {
		return err.Error(), false, nil
	}
	if err != nil {
		return "", false, err
	}
	report, err := c.Run(ctx, program, true)
	if err != nil {
		return "", false, err
	}
	if ctx.Err() != nil {
		return "", false, fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	if len(report.Failures) == 0 {
		return fmt.Sprintf("survived %d runs (%s)", report.Runs, p.About), !p.Faulty, nil
	}
	f := report.Failures[0]
	return fmt.Sprintf("caught in run %d, seed %d: %s", report.Runs, f.Seed, f.What), p.Faulty, nil
}
