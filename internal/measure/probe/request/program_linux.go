package request

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"

	"github.com/realiops/realiops/internal/measure/probe"
)

// offsets holds the byte offsets of the fields that we read in this kernel's structures.
type offsets struct {
	queue, bio, sector, operation, flags int16 // of struct request
	disk                                 int16 // of struct request_queue
	major, minor                         int16 // of struct gendisk
	device, deviceDisk                   int16 // of struct bio; of struct block_device
	parent, group, command               int16 // of struct task_struct
	bits                                 bits
	file                                 *trail // nil: the pages' owner is not read
}

// trail leads from a request's data to the file that owns its pages.
type trail struct {
	vectors, page                 int16 // of struct bio; of struct bio_vec
	head, mapping                 int16 // of struct page
	host, own, number, generation int16 // of struct address_space; of struct inode
	super, device                 int16 // of struct inode; of struct super_block
	// bpf_rdonly_cast, which types an address, and the type of a page
	cast, pageType int32
}

type bits struct {
	flushing uint32 // it is one step of a flush
	notes    uint32 // it is file system metadata; 0: unknown
}

// offsetsIn finds the offsets in the kernel's BTF.
func offsetsIn(spec *btf.Spec) (at offsets, err error) {
	for _, f := range []struct {
		into            *int16
		structure, name string
	}{
		{&at.queue, "request", "q"},
		{&at.bio, "request", "bio"},
		{&at.sector, "request", "__sector"},
		{&at.operation, "request", "cmd_flags"},
		{&at.flags, "request", "rq_flags"},
		{&at.disk, "request_queue", "disk"},
		{&at.major, "gendisk", "major"},
		{&at.minor, "gendisk", "first_minor"},
		{&at.parent, "task_struct", "real_parent"},
		{&at.group, "task_struct", "tgid"},
		{&at.command, "task_struct", "comm"},
		{&at.device, "bio", "bi_bdev"},
		{&at.deviceDisk, "block_device", "bd_disk"},
	} {
		if *f.into, err = offsetOf(spec, f.structure, f.name); err != nil {
			return at, err
		}
	}
	at.file = trailIn(spec)
	const flushing = 1 << 4 // before the bits had names (6.11)
	at.bits = bits{flushing: bitIn(spec, "rqf_flags", "__RQF_FLUSH_SEQ", flushing),
		notes: bitIn(spec, "req_flag_bits", "__REQ_META", 0)}
	return at, nil
}

// trailIn finds the trail, or returns nil if this kernel has another one.
func trailIn(spec *btf.Spec) *trail {
	var p trail
	for _, f := range []struct {
		into            *int16
		structure, name string
	}{
		{&p.vectors, "bio", "bi_io_vec"}, {&p.page, "bio_vec", "bv_page"}, {&p.head, "page", "compound_head"},
		{&p.mapping, "page", "mapping"},
		{&p.host, "address_space", "host"}, {&p.own, "inode", "i_mapping"}, {&p.number, "inode", "i_ino"},
		{&p.generation, "inode", "i_generation"},
		{&p.super, "inode", "i_sb"}, {&p.device, "super_block", "s_dev"},
	} {
		var err error
		if *f.into, err = offsetOf(spec, f.structure, f.name); err != nil {
			return nil
		}
	}
	var cast *btf.Func
	var page *btf.Struct
	if spec.TypeByName("bpf_rdonly_cast", &cast) == nil && spec.TypeByName("page", &page) == nil { // since 6.2
		from, err := spec.TypeID(cast)
		if to, errOfPage := spec.TypeID(page); err == nil && errOfPage == nil {
			p.cast, p.pageType = int32(from), int32(to) //nolint:gosec // there are some 100,000
		}
	}
	return &p
}

func offsetOf(spec *btf.Spec, structure, name string) (int16, error) {
	var s *btf.Struct
	if err := spec.TypeByName(structure, &s); err != nil {
		return 0, fmt.Errorf("find struct %s of this kernel: %w", structure, err)
	}
	if offset, found := within(s.Members, name); found {
		return int16(offset.Bytes()), nil
	}
	return 0, fmt.Errorf("struct %s of this kernel has no %s; Linux %s and later have it", structure, name,
		probe.ByFile.Linux)
}

// within looks for a member, also in anonymous unions and structures.
func within(members []btf.Member, name string) (btf.Bits, bool) {
	for _, m := range members {
		var inner []btf.Member
		switch t := btf.UnderlyingType(m.Type).(type) {
		case *btf.Struct:
			inner = t.Members
		case *btf.Union:
			inner = t.Members
		}
		if m.Name == name {
			return m.Offset, true
		}
		if offset, found := within(inner, name); m.Name == "" && found {
			return m.Offset + offset, true
		}
	}
	return 0, false
}

// bitIn returns a flag by its name in the kernel's BTF, or otherwise. It tries the enumeration that has it in most
// kernels first, because searching all takes 20 MB.
func bitIn(spec *btf.Spec, enumeration, name string, otherwise uint32) uint32 {
	var likely *btf.Enum
	if spec.TypeByName(enumeration, &likely) == nil {
		if bit, found := bitOf(likely, name); found {
			return bit
		}
	}
	for t, err := range spec.All() {
		if err != nil {
			break
		}
		if bit, found := bitOf(t, name); found {
			return bit
		}
	}
	return otherwise
}

func bitOf(t btf.Type, name string) (bit uint32, found bool) {
	if e, is := t.(*btf.Enum); is {
		for _, v := range e.Values {
			if v.Name == name {
				return 1 << v.Value, true
			}
		}
	}
	return 0, false
}

// The programs' record of a request, as it lies on their stack and in the ring. It must
// match event in event_linux.go.
const (
	eventAt = -eventBytes
	askerAt = eventAt + 24
	fileAt  = eventAt + 48
	cellAt  = eventAt - 8
)

// The cause of an I/O is kept in a table of pairs of slots, by the address of its bio. Entries are never removed; the
// older slot of a pair is reused. A request loses its cause if two others of its pair are made meanwhile,
// (n/32,768)²/2 of n concurrent ones: five in ten thousand of 1,000. The kernel's LRU table took three times as long.
const (
	pairBits  = 15
	slotKey   = 0
	slotSince = 8
	slotAsker = 16 // the process, its parent, and the name of its command
	askerSize = 24
	slotSize  = slotAsker + askerSize
)

// oneOf ends the program unless the gendisk in R1 is one of the disks. It leaves its number in R8.
func oneOf(disks []uint32, at offsets) asm.Instructions {
	program := asm.Instructions{
		asm.LoadMem(asm.R8, asm.R1, at.major, asm.Word),
		asm.LoadMem(asm.R2, asm.R1, at.minor, asm.Word),
		asm.LSh.Imm(asm.R8, minorBits),
		asm.Or.Reg(asm.R8, asm.R2),
	}
	for _, disk := range disks {
		program = append(program, asm.JEq.Imm32(asm.R8, int32(disk), "ours"))
	}
	return append(program, asm.Ja.Label("end"), asm.Mov.Imm(asm.R0, 0).WithSymbol("ours"))
}

// findPair puts the pair of slots of the I/O in R6 into R0, or jumps to the label none.
func findPair(askers *ebpf.Map, none string) asm.Instructions {
	const scatter = 0x9E3779B97F4A7C15 - 1<<64 // 2^64 by the golden ratio spreads close addresses
	return asm.Instructions{
		asm.Mov.Reg32(asm.R1, asm.R6), // the verifier forbids multiplying addresses
		asm.LoadImm(asm.R2, scatter, asm.DWord),
		asm.Mul.Reg(asm.R1, asm.R2),
		asm.RSh.Imm(asm.R1, 64-pairBits),
		asm.StoreMem(asm.RFP, cellAt, asm.R1, asm.Word),
		asm.LoadMapPtr(asm.R1, askers.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, cellAt),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, none),
	}
}

// noteAsker records the cause of a bio.
func noteAsker(at offsets, disks []uint32, askers *ebpf.Map) asm.Instructions {
	program := asm.Instructions{
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord),
		asm.LoadMem(asm.R1, asm.R6, at.device, asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, at.deviceDisk, asm.DWord),
	}
	program = append(program, oneOf(disks, at)...)
	program = append(program, findPair(askers, "end")...)
	program = append(program,
		asm.Mov.Reg(asm.R7, asm.R0),
		asm.LoadMem(asm.R1, asm.R7, slotKey, asm.DWord),
		asm.JEq.Reg(asm.R1, asm.R6, "note"),
		asm.LoadMem(asm.R2, asm.R7, slotSize+slotKey, asm.DWord),
		asm.JEq.Reg(asm.R2, asm.R6, "second"),
		asm.LoadMem(asm.R1, asm.R7, slotSince, asm.DWord),
		asm.LoadMem(asm.R2, asm.R7, slotSize+slotSince, asm.DWord),
		asm.JLE.Reg(asm.R1, asm.R2, "note"),
		asm.Add.Imm(asm.R7, slotSize).WithSymbol("second"),

		asm.StoreMem(asm.R7, slotKey, asm.R6, asm.DWord).WithSymbol("note"),
		asm.FnJiffies64.Call(),
		asm.StoreMem(asm.R7, slotSince, asm.R0, asm.DWord),
		asm.FnGetCurrentTaskBtf.Call(),
		asm.LoadMem(asm.R1, asm.R0, at.group, asm.Word),
		asm.StoreMem(asm.R7, slotAsker, asm.R1, asm.Word),
		asm.LoadMem(asm.R1, asm.R0, at.command, asm.DWord),
		asm.StoreMem(asm.R7, slotAsker+8, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, at.command+8, asm.DWord),
		asm.StoreMem(asm.R7, slotAsker+16, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, at.parent, asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, at.group, asm.Word),
		asm.StoreMem(asm.R7, slotAsker+4, asm.R1, asm.Word),
	)
	return append(program, asm.Mov.Imm(asm.R0, 0).WithSymbol("end"), asm.Return())
}

// tellRequest puts a completed request of the disks into the ring, with its cause.
func tellRequest(at offsets, disks []uint32, askers, events, lost *ebpf.Map) asm.Instructions {
	program := asm.Instructions{
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord),
		asm.LoadMem(asm.R7, asm.R1, 16, asm.DWord),
		asm.LoadMem(asm.R1, asm.R6, at.queue, asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, at.disk, asm.DWord),
	}
	program = append(program, oneOf(disks, at)...)
	program = append(program, fillEvent(at)...)
	if at.file != nil {
		program = append(program, fillFile(at.bio, at.file)...)
	}
	program = append(program, withAsker(at, askers)...)
	program = append(program, sendEvent(events)...)
	return append(program, countLost(lost)...)
}

func fillEvent(at offsets) asm.Instructions {
	return asm.Instructions{
		asm.LoadMem(asm.R1, asm.R6, at.sector, asm.DWord),
		asm.StoreMem(asm.RFP, eventAt, asm.R1, asm.DWord),
		asm.StoreMem(asm.RFP, eventAt+8, asm.R7, asm.Word),
		asm.LoadMem(asm.R1, asm.R6, at.operation, asm.Word),
		asm.StoreMem(asm.RFP, eventAt+12, asm.R1, asm.Word),
		asm.LoadMem(asm.R1, asm.R6, at.flags, asm.Word),
		asm.StoreMem(asm.RFP, eventAt+16, asm.R1, asm.Word),
		asm.StoreMem(asm.RFP, eventAt+20, asm.R8, asm.Word),
		asm.Mov.Imm(asm.R1, 0),
		asm.StoreMem(asm.RFP, askerAt, asm.R1, asm.DWord),
		asm.StoreMem(asm.RFP, askerAt+8, asm.R1, asm.DWord),
		asm.StoreMem(asm.RFP, askerAt+16, asm.R1, asm.DWord),
		asm.StoreMem(asm.RFP, fileAt, asm.R1, asm.DWord),
		asm.StoreMem(asm.RFP, fileAt+8, asm.R1, asm.DWord),
	}
}

// fillFile records the file that owns the data pages of the request in R6. A page's mapping may be something else
// than a file's, which no inode points back to; reading invalid memory gives zeros.
func fillFile(bio int16, p *trail) asm.Instructions {
	program := asm.Instructions{
		asm.LoadMem(asm.R1, asm.R6, bio, asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, p.vectors, asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, p.page, asm.DWord),
		// In a compound page the first page has the file; the others point to it plus 1.
		asm.LoadMem(asm.R3, asm.R1, p.head, asm.DWord),
		asm.Mov.Reg32(asm.R2, asm.R3), // the verifier forbids testing bits of addresses
		asm.And.Imm(asm.R2, 1),
		asm.JEq.Imm(asm.R2, 0, "first"),
	}
	if p.cast == 0 {
		program = append(program, asm.Ja.Label("none"))
	} else {
		program = append(program, asm.Mov.Reg(asm.R1, asm.R3), asm.Sub.Imm(asm.R1, 1), asm.Mov.Imm(asm.R2, p.pageType),
			asm.Instruction{OpCode: asm.OpCode(asm.JumpClass).SetJumpOp(asm.Call), Src: asm.PseudoKfuncCall,
				Constant: int64(p.cast)}, asm.Mov.Reg(asm.R1, asm.R0),
		)
	}
	return append(program,
		asm.LoadMem(asm.R1, asm.R1, p.mapping, asm.DWord).WithSymbol("first"),
		asm.Mov.Reg32(asm.R2, asm.R1),
		asm.And.Imm(asm.R2, 3),
		asm.JNE.Imm(asm.R2, 0, "none"), // it is not a file's
		asm.LoadMem(asm.R2, asm.R1, p.host, asm.DWord),
		asm.LoadMem(asm.R3, asm.R2, p.own, asm.DWord),
		asm.JNE.Reg(asm.R3, asm.R1, "none"),
		asm.LoadMem(asm.R1, asm.R2, p.number, asm.DWord),
		asm.StoreMem(asm.RFP, fileAt, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R2, p.generation, asm.Word),
		asm.StoreMem(asm.RFP, fileAt+12, asm.R1, asm.Word),
		asm.LoadMem(asm.R1, asm.R2, p.super, asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, p.device, asm.Word),
		asm.StoreMem(asm.RFP, fileAt+8, asm.R1, asm.Word),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("none"),
	)
}

func withAsker(at offsets, askers *ebpf.Map) asm.Instructions {
	program := asm.Instructions{asm.LoadMem(asm.R6, asm.R6, at.bio, asm.DWord)}
	program = append(program, findPair(askers, "send")...)
	return append(program,
		asm.LoadMem(asm.R1, asm.R0, slotKey, asm.DWord),
		asm.JEq.Reg(asm.R1, asm.R6, "asked"),
		asm.LoadMem(asm.R1, asm.R0, slotSize+slotKey, asm.DWord),
		asm.JNE.Reg(asm.R1, asm.R6, "send"),
		asm.Add.Imm(asm.R0, slotSize),
		asm.LoadMem(asm.R1, asm.R0, slotAsker, asm.DWord).WithSymbol("asked"),
		asm.StoreMem(asm.RFP, askerAt, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, slotAsker+8, asm.DWord),
		asm.StoreMem(asm.RFP, askerAt+8, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, slotAsker+16, asm.DWord),
		asm.StoreMem(asm.RFP, askerAt+16, asm.R1, asm.DWord),
	)
}

func sendEvent(events *ebpf.Map) asm.Instructions {
	const wakeup = 0 // wake the reader of an empty ring
	return asm.Instructions{
		asm.LoadMapPtr(asm.R1, events.FD()).WithSymbol("send"),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, eventAt),
		asm.Mov.Imm(asm.R3, eventBytes),
		asm.Mov.Imm(asm.R4, wakeup),
		asm.FnRingbufOutput.Call(),
		asm.JEq.Imm(asm.R0, 0, "end"),
	}
}

func countLost(lost *ebpf.Map) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Imm(asm.R1, 0),
		asm.StoreMem(asm.RFP, cellAt, asm.R1, asm.DWord),
		asm.LoadMapPtr(asm.R1, lost.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, cellAt),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "end"),
		asm.Mov.Imm(asm.R1, 1),
		asm.AddAtomic.Mem(asm.R0, asm.R1, asm.DWord, 0),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("end"),
		asm.Return(),
	}
}
