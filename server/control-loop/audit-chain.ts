import { HOUR_MS } from "#server/kernel/units.ts";
import { breakSentence } from "#server/services/governance/audit/chain-break.ts";
import { checkChain } from "#server/services/governance/audit/check-chain.ts";
import { readHead } from "#server/services/governance/audit/head.ts";
import { newSealMemory, sealAudit } from "#server/services/governance/audit/seal.ts";
import type { LoopContext } from "./context.ts";

/** A leader's work on the audit chain: seals, checks, and writes the latest hash to the log, outside the database. */
export function auditChain(ctx: LoopContext, signal: AbortSignal): { seal: () => Promise<void>; check: () => Promise<void> } {
	const memory = newSealMemory();
	let loggedAtMs: number | null = null;
	let checkedBefore = false;
	return {
		async seal() {
			await sealAudit(ctx, memory);
			const nowMs = ctx.clock.nowMs();
			if (loggedAtMs !== null && nowMs - loggedAtMs < HOUR_MS) return;
			const head = await readHead(ctx.db);
			if (!head) return;
			loggedAtMs = nowMs;
			ctx.log("info", "the audit's head", { sequence: head.sequence, hash: head.hash });
		},
		async check() {
			// Entries written while no scheduler led do not count as a break.
			if (!checkedBefore) await sealAudit(ctx, newSealMemory());
			checkedBefore = true;
			const { broken } = await checkChain(ctx, signal);
			if (broken) ctx.log("error", "the audit's chain is broken", { ...broken, sentence: breakSentence(broken) });
		},
	};
}
