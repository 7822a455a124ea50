package chaos

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The faults that the proxy injects. A Disruption happens to processes.
const (
	NoFault      Kind = ""
	Write500     Kind = "500 on a write"
	Write409     Kind = "409 on a write"
	Write429     Kind = "429 on a write"
	WriteLost    Kind = "answer lost"
	WriteSlow    Kind = "write held back"
	WriteRace    Kind = "another writer just before a write"
	KillBefore   Kind = "kill -9 before a write"
	KillAfter    Kind = "kill -9 after a write"
	Read500      Kind = "500 on a read"
	WatchDelay   Kind = "watch events delayed"
	WatchCut     Kind = "watch cut"
	WatchExpired Kind = "410 in a watch"
	WatchGone    Kind = "410 to a watch"
	WriteRefused Kind = "500 on every write of one object"
)

// Fault is what happens to one request.
type Fault struct {
	Kind Kind
	// For is how long something is held back, or a killed process stays away.
	For time.Duration
	// After is the number of events of a watch that pass first.
	After int
}

// Faults are what happens to the requests, each list in the order in which the
// requests come. A request beyond a list's end passes.
type Faults struct {
	// Writes is for changes of Ingresses, Reads for reads of single objects and
	// lists, Watches for watches.
	Writes, Reads, Watches []Fault
}

// String tells them, those that change nothing left out.
func (f Faults) String() string {
	var b strings.Builder
	for _, list := range []struct {
		name   string
		faults []Fault
	}{{"write", f.Writes}, {"read", f.Reads}, {"watch", f.Watches}} {
		for i, fault := range list.faults {
			if fault.Kind != NoFault {
				fmt.Fprintf(&b, "  %s %d: %s, for %s, after %d events\n", list.name, i+1, fault.Kind, fault.For, fault.After)
			}
		}
	}
	return b.String()
}

func (p *planner) faults() Faults {
	writes := pick(p, 0, 0.3, 0.3, 0.5, 0.5, 0.7)
	watches := pick(p, 0, 0.5, 0.9)
	f := Faults{Writes: make([]Fault, 150), Reads: make([]Fault, 50), Watches: make([]Fault, 60)}
	for i := range f.Writes {
		if p.chance(writes) {
			f.Writes[i] = Fault{Kind: pick(p, Write500, Write500, Write409, Write409, Write429, WriteLost, WriteLost, WriteSlow, WriteSlow,
				WriteRace),
				For: p.upTo(400 * time.Millisecond)}
		}
	}
	if p.chance(0.4) {
		f.Writes[p.IntN(12)] = Fault{Kind: pick(p, KillBefore, KillAfter), For: p.upTo(300 * time.Millisecond)}
	}
	for i := range f.Reads {
		if p.chance(writes / 2) {
			f.Reads[i].Kind = Read500
		}
	}
	for i := range f.Watches {
		if p.chance(watches) {
			f.Watches[i] = Fault{Kind: pick(p, WatchDelay, WatchDelay, WatchCut, WatchExpired, WatchGone),
				For: p.upTo(600 * time.Millisecond), After: p.IntN(8)}
		}
	}
	return f
}

// mostInARow bounds how often in a row the changes of one object fail. A
// controller gives up after some time, and rightly so: then nothing would bring
// the end that the model asks for.
const mostInARow = 4

// dealer hands out the faults until they are turned off, and counts them.
type dealer struct {
	mu      sync.Mutex
	left    Faults
	off     bool
	offC    chan struct{}
	row     map[string]int
	refused string
	counted map[string]int
}

func newDealer(f Faults) *dealer {
	return &dealer{left: f, offC: make(chan struct{}), row: map[string]int{}, counted: map[string]int{}}
}

// write is the fault for a change of the named object.
func (d *dealer) write(name string) Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name != "" && name == d.refused {
		d.count(string(WriteRefused))
		return Fault{Kind: WriteRefused}
	}
	f := d.next(&d.left.Writes)
	if f.Kind == NoFault || f.Kind == WriteSlow || f.Kind == WriteRace {
		d.row[name] = 0
	} else if d.row[name]++; d.row[name] > mostInARow {
		d.row[name], f = 0, Fault{}
	}
	d.count(string(f.Kind))
	return f
}

// refuse lets every write of the named object fail, "" none.
func (d *dealer) refuse(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = name
}

func (d *dealer) read() Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.next(&d.left.Reads)
	d.count(string(f.Kind))
	return f
}

// watch is the fault for a watch. One that begins without a resourceVersion
// cannot be too old.
func (d *dealer) watch(begins bool) Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.next(&d.left.Watches)
	if f.Kind == WatchGone && begins {
		f.Kind = WatchCut
	}
	// Others are counted when they happen: a watch may end before.
	if f.Kind == WatchGone {
		d.count(string(f.Kind))
	}
	return f
}

// happened counts a fault of a watch, or one that is no request's.
func (d *dealer) happened(kind string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(kind)
}

func (d *dealer) count(kind string) {
	if kind != string(NoFault) {
		d.counted[kind]++
	}
}

func (d *dealer) next(list *[]Fault) Fault {
	if d.off || len(*list) == 0 {
		return Fault{}
	}
	f := (*list)[0]
	*list = (*list)[1:]
	return f
}

// stop ends all faults, also those that hold something back.
func (d *dealer) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.off {
		d.off = true
		close(d.offC)
	}
}

// hold waits, or until the faults are off or the request is over.
func (d *dealer) hold(done <-chan struct{}, by time.Duration) {
	select {
	case <-time.After(by):
	case <-d.offC:
	case <-done:
	}
}

func (d *dealer) counts() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]int{}
	for kind, n := range d.counted {
		out[kind] = n
	}
	return out
}
