import { DAY_MS } from "#server/kernel/units.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { loadHistory } from "./load-history.ts";
import { findSampleSpan } from "./sample-span.ts";
import type { WorkContext } from "./work.ts";

/** As long as the editor's default. */
const SPAN_MS = 30 * DAY_MS;

/**
 * Replays a sample under the active policy and drops the result: V8 compiles the core while someone types. A process replays its
 * first month in about twice the processor time of the second.
 */
export async function warmUp({ db, clock, timing }: Pick<WorkContext, "db" | "clock" | "timing">): Promise<void> {
	const toMs = clock.nowMs();
	const { source, version } = await activePolicy(db);
	const { policy } = parseStoredPolicy(source);
	if (!policy) return;
	const span = { fromMs: toMs - SPAN_MS, toMs };
	const fromMs = (await findSampleSpan(db, span))?.fromMs ?? span.fromMs;
	replayHalf(await loadHistory(db, { fromMs, toMs, version, policies: [policy], timing }), policy);
}
