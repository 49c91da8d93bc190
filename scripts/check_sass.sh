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
# red.async REDAS, and a 64-bit red into shared::cta a loop around a compare and swap.
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
lookup_kernel|LDG.E.STRONG.GPU STS CS2R
walk_kernelINS1_4ReadE|LDG.E.128 CS2R
walk_kernelINS1_5WriteE|STG.E.128 MEMBAR CS2R
'

cuobjdump --dump-sass "$program" | awk -v table="$table" '
  BEGIN { n = split(table, rows, "\n"); for (i = 1; i <= n; i++) if (split(rows[i], f, "|") == 2) must[f[1]] = f[2] }
  /arch = / { arch = $3 }
  /Function : / { name = $3; body = ""; for (k in must) if (index(name, k)) { kernel = k; id = arch " " name; seen[id] = k } }
  name != "" && index(name, kernel) { if ($0 ~ /\/\*[0-9a-f]+\*\//) code[id] = code[id] "\n" $0 }
  END {
    bad = 0
    for (k in must) { found = 0; for (id in seen) if (seen[id] == k) found++
      if (!found) { print "MISSING kernel " k; bad = 1 } }
    for (id in seen) {
      line = ""; m = split(must[seen[id]], want, " ")
      for (i = 1; i <= m; i++) { c = gsub("[ \t]" want[i], "&", code[id]); line = line " " want[i] "=" c; if (!c) { bad = 1; line = line "(MISSING)" } }
      spills = gsub(/[ \t](LDL|STL)[. ]/, "&", code[id]); if (spills) { bad = 1 }
      print id ":" line " local=" spills
    }
    exit bad
  }'
echo "every kernel has the instructions that it must have, and none spills"
