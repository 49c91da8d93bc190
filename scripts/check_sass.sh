#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/check_sass.sh [PROGRAM]: proves from the machine code in PROGRAM what each kernel times.
# For every kernel of the table below, in every architecture: the instructions that must be there are, and
# none reads or writes local memory (LDL, STL), which is where spilled registers and indexed arrays go.
# Needs cuobjdump of the CUDA toolkit. Exit code 1 where something is not as it must be.
set -euo pipefail

program=${1:-build/release/plumb}
command -v cuobjdump >/dev/null || { echo "cuobjdump is not on the PATH; it comes with the CUDA toolkit" >&2; exit 2; }

# kernel|instructions: ld.shared::cluster.v4 is LD.E.128 (a generic load through the cluster window), its store
# ST.E.128, the bulk copy between CTAs UBLKCP.S.S, backgrounds read by LDS.128 and LDG.E.128,
# the mbarrier look SYNCS.PHASECHK, the fence MEMBAR.ALL.GPU,
# st.async STAS, an arrival at a peer's mbarrier SYNCS.ARRIVE.TRANS64.RED, the two halves of a cluster barrier
# UCGABAR_ARV and UCGABAR_WAIT; red on a peer's shared memory is an ATOM whose result goes nowhere,
# cp.async LDGSTS (16 bytes pass the L1 by: BYPASS) with LDGDEPBAR and DEPBAR for its groups, bulk copies from
# global memory UBLKCP.S.G, boxes UTMALDG,
# red.async REDAS, and a 64-bit red into shared::cta a loop around a compare and swap.
# wgmma is HGMMA, QGMMA (8-bit floats) or IGMMA (integers); tcgen05.mma UTCHMMA, UTCQMMA, UTCIMMA or UTCOMMA (4-bit),
# its commit UTCBAR, its loads and stores LDTM and STTM; scales of 16 numbers are 4X, and BLOCK16 on sm_103a, which has
# no integers. Between the fence of a batch of wgmma
# (WARPGROUP.ARRIVE) and the wait for it (WARPGROUP.DEPBAR) there must be no second fence: the assembler puts one
# before an instruction that a branch can lead to, and that is a dip in the curve over instructions in flight.
table='
traffic_kernel|LD.E.128 ST.E.128 LDS.128 LDG.E.128 UBLKCP.S.S SYNCS.PHASECHK MEMBAR.ALL.GPU CS2R
chase_kernelINS1_9ChaseLoadE|LD.E CS2R
chase_kernelINS1_9ChaseAtomE|ATOM.E.ADD.STRONG.GPU CS2R
handoff_kernelINS0_12HandoffStoreE|ST.E.STRONG.GPU LDS CS2R
handoff_kernelINS0_19HandoffStoreReleaseE|ST.E.STRONG.GPU LDS MEMBAR.ALL.GPU CS2R
handoff_kernelINS0_10HandoffRedE|ATOM.E.ADD.STRONG.GPU LDS CS2R
handoff_kernelINS0_17HandoffStoreAsyncE|STAS LDS CS2R
handoff_kernelINS0_10HandoffPutE|UBLKCP.S.S LDS CS2R
handoff_kernelINS0_9AtBarrierINS0_17HandoffStoreAsyncE|STAS SYNCS.PHASECHK CS2R
handoff_kernelINS0_9AtBarrierINS0_10HandoffPutE|UBLKCP.S.S SYNCS.PHASECHK CS2R
handoff_kernelINS0_13HandoffArriveE|SYNCS.ARRIVE.TRANS64.RED SYNCS.PHASECHK CS2R
handoff_kernelINS0_14HandoffL2StoreE|STG.E.STRONG.GPU LDG.E.STRONG.GPU CS2R
handoff_kernelINS0_16HandoffL2ReleaseE|STG.E.STRONG.GPU LDG.E.STRONG.GPU MEMBAR.ALL.GPU CS2R
handoff_kernelINS0_13HandoffL2AtomE|ATOMG.E.ADD.STRONG.GPU LDG.E.STRONG.GPU CS2R
sync_kernelINS1_11SyncReleaseE|UCGABAR_ARV UCGABAR_WAIT MEMBAR.ALL.GPU CS2R
sync_kernelINS1_11SyncRelaxedE|UCGABAR_ARV UCGABAR_WAIT CS2R
look_kernelINS1_10LookAtWordE|LDS CS2R
look_kernelINS1_13LookAtBarrierE|SYNCS.PHASECHK CS2R
LoadSharedILi4E|LDS
LoadSharedILi16E|LDS.128
LoadClusterILi4E|LD.E
LoadClusterILi16E|LD.E.128
LoadGenericILi16E|LD.E.128
StoreSharedILi16E|STS.128
StoreClusterILi16E|ST.E.128
StoreAsyncILi4E|STAS SYNCS.PHASECHK
StoreAsyncILi16E|STAS.128 SYNCS.PHASECHK
RedSharedILi4E|ATOMS.ADD
RedSharedILi8E|ATOMS.CAST.SPIN.64
RedClusterILi4E|ATOM.E.ADD
RedClusterILi8E|ATOM.E.ADD.64
RedAsyncILi4E|REDAS.ADD SYNCS.PHASECHK
RedAsyncILi8E|REDAS.ADD.64 SYNCS.PHASECHK
BulkCopy|UBLKCP.S.S SYNCS.PHASECHK
wgmma_kernelINS0_5WgmmaINS0_4Bf16E|HGMMA WARPGROUP.ARRIVE WARPGROUP.DEPBAR CS2R
wgmma_kernelINS0_5WgmmaINS0_3F16E|HGMMA WARPGROUP.ARRIVE WARPGROUP.DEPBAR CS2R
wgmma_kernelINS0_5WgmmaINS0_4Tf32E|HGMMA WARPGROUP.ARRIVE WARPGROUP.DEPBAR CS2R
wgmma_kernelINS0_5WgmmaINS0_4E4m3E|QGMMA WARPGROUP.ARRIVE WARPGROUP.DEPBAR CS2R
wgmma_kernelINS0_5WgmmaINS0_4E5m2E|QGMMA WARPGROUP.ARRIVE WARPGROUP.DEPBAR CS2R
wgmma_kernelINS0_5WgmmaINS0_2S8E|IGMMA WARPGROUP.ARRIVE WARPGROUP.DEPBAR CS2R
wgmma_kernelINS0_5WgmmaINS0_2U8E|IGMMA WARPGROUP.ARRIVE WARPGROUP.DEPBAR CS2R
mma_sync_kernelINS1_4SyncILNS_6NumberE0E|HMMA.16816 CS2R
mma_sync_kernelINS1_4SyncILNS_6NumberE8E|IMMA.16832 CS2R
Tcgen05KindE0E|UTCHMMA UTCBAR LDTM.x8 STTM.x8 SYNCS.PHASECHK CS2R
Tcgen05KindE1E|UTCHMMA UTCBAR LDTM.x8 STTM.x8 SYNCS.PHASECHK CS2R
Tcgen05KindE2E|UTCQMMA UTCBAR LDTM.x8 STTM.x8 SYNCS.PHASECHK CS2R
Tcgen05KindE3E|UTCIMMA UTCBAR LDTM.x8 STTM.x8 SYNCS.PHASECHK CS2R
Tcgen05KindE4E|UTCQMMA UTCBAR LDTM.x8 STTM.x8 SYNCS.PHASECHK CS2R
Tcgen05KindE5E|UTCOMMA UTCBAR LDTM.x8 STTM.x8 SYNCS.PHASECHK CS2R
Tcgen05KindE6E|UTCOMMA[.0-9A-Z]*[.][4B][XL] UTCBAR LDTM.x8 STTM.x8 SYNCS.PHASECHK CS2R
lookup_kernel|LDG.E.STRONG.GPU STS CS2R
walk_kernelINS1_4ReadE|LDG.E.128 CS2R
walk_kernelINS1_5WriteE|STG.E.128 MEMBAR CS2R
ldgsts_kernelILi4ELi|LDGSTS.E LDGDEPBAR DEPBAR CS2R
ldgsts_kernelILi8ELi|LDGSTS.E.64 LDGDEPBAR DEPBAR CS2R
ldgsts_kernelILi16ELi|LDGSTS.E.BYPASS.128 LDGDEPBAR DEPBAR CS2R
engine_kernelILNS1_4KindE0E|UBLKCP.S.G SYNCS.PHASECHK CS2R
engine_kernelILNS1_4KindE1E|UTMALDG.2D SYNCS.PHASECHK CS2R
engine_kernelILNS1_4KindE2E|UTMALDG.3D SYNCS.PHASECHK CS2R
multicast_kernelILb0E|UBLKCP.S.G.MULTICAST SYNCS.PHASECHK SYNCS.ARRIVE.TRANS64.RED CS2R
multicast_kernelILb1E|UTMALDG.2D.MULTICAST SYNCS.PHASECHK SYNCS.ARRIVE.TRANS64.RED CS2R
chase_kernelILNS_8ChaseWayE4E|LDGSTS.E.BYPASS.128 LDS.64 CS2R
chase_kernelILNS_8ChaseWayE5E|UBLKCP.S.G SYNCS.PHASECHK LDS.64 CS2R
stream_kernelILNS_8StreamOpE0ELNS_6MemoryE0E|LDS.128 CS2R
stream_kernelILNS_8StreamOpE0ELNS_6MemoryE3E|LDG.E.NA.128 CS2R
stream_kernelILNS_8StreamOpE1ELNS_6MemoryE0E|STS.128 CS2R
stream_kernelILNS_8StreamOpE1ELNS_6MemoryE3E|STG.E.128 CS2R
stream_kernelILNS_8StreamOpE2ELNS_6MemoryE3E|LDG.E.NA.128 STG.E.128 CS2R
'

cuobjdump --dump-sass "$program" | awk -v table="$table" '
  BEGIN { n = split(table, rows, "\n"); for (i = 1; i <= n; i++) if (split(rows[i], f, "|") == 2) must[f[1]] = f[2] }
  /arch = / { arch = $3 }
  /Function : / { name = $3; body = ""; for (k in must) if (index(name, k)) { kernel = k; id = arch " " name; seen[id] = k } }
  /Function : / { open = 0 }
  /WARPGROUP.ARRIVE/ && name ~ /wgmma_kernel/ { if (open) { print "A FENCE between instructions in flight: " name; fences++ }; open = 1; batches++ }
  /WARPGROUP.DEPBAR/ { open = 0 }
  name != "" && index(name, kernel) { if ($0 ~ /\/\*[0-9a-f]+\*\//) code[id] = code[id] "\n" $0 }
  END {
    bad = 0
    for (k in must) { found = 0; for (id in seen) if (seen[id] == k) found++
      if (!found) { print "MISSING kernel " k; bad = 1 } }
    if (fences) bad = 1
    print batches " batches of wgmma, " fences + 0 " fences between instructions in flight"
    for (id in seen) {
      if (id ~ /^sm_103a/ && seen[id] ~ /KindE3E/) continue
      line = ""; m = split(must[seen[id]], want, " ")
      for (i = 1; i <= m; i++) { c = gsub("[ \t]" want[i], "&", code[id]); line = line " " want[i] "=" c; if (!c) { bad = 1; line = line "(MISSING)" } }
      spills = gsub(/[ \t](LDL|STL)[. ]/, "&", code[id]); if (spills) { bad = 1 }
      print id ":" line " local=" spills
    }
    exit bad
  }'
echo "every kernel has the instructions that it must have, and none spills"
