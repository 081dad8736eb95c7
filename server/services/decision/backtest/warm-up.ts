import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { loadHistory } from "./load-history.ts";
import type { WorkContext } from "./work.ts";

/** As long as the editor's default. */
const SPAN_MS = 30 * DAY_MS;

/**
 * Replays the sample of the editor's default period under the active policy while someone types. The first edit then replays only its
 * draft, and V8 has compiled the core: a process replays its first month in about twice the processor time of the second.
 */
export async function warmUp(ctx: Pick<WorkContext, "db" | "clock" | "timing" | "samples">): Promise<void> {
	const { db, clock, timing, samples } = ctx;
	const toMs = clock.nowMs();
	const { source, version } = await activePolicy(db);
	const { policy } = parseStoredPolicy(source);
	if (!policy) return;
	const request = { fromMs: toMs - SPAN_MS, toMs, version, policies: [policy], timing };
	const sample = await samples.load(ctx, { ...request, policyName: DEFAULT_POLICY, published: policy });
	if (!sample) replayHalf(await loadHistory(db, request), policy);
}
