import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { audit } from "#server/contract/audit.ts";
import { chainHead } from "#server/contract/inputs/audit.ts";
import { limitRunning } from "#server/services/core/running-of-person.ts";
import { breakSentence } from "#server/services/governance/audit/chain-break.ts";
import { chainState } from "#server/services/governance/audit/check-chain.ts";
import { exportAudit } from "#server/services/governance/audit/export.ts";
import { listAudit } from "#server/services/governance/audit/list.ts";
import { type Verification, verifyAudit } from "#server/services/governance/audit/verify.ts";
import { streamCsv } from "../http/stream-file.ts";
import { bind, bindRest } from "./bind.ts";

export const auditOperations = {
	list: bind(audit.list, listAudit),
	chain: bind(audit.chain, chainState),
	verify: bindRest(audit.verify, async (ctx, { head }, { response, signal }) => {
		const steps = verifyAudit(ctx, { signal, ...(head === undefined ? {} : { head: chainHead.parse(head) }) });
		const progress = limitRunning(ctx, "export", progressOf(steps));
		response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store" });
		await pipeline(Readable.from(progress), response, { signal }).catch((error: unknown) => {
			if (!signal.aborted) throw error;
		});
		return "streamed";
	}),
	export: bindRest(audit.export, async (ctx, { format, ...filters }, request) => streamCsv(request, exportAudit(ctx, filters, format))),
};

async function* progressOf(steps: AsyncGenerator<number, Verification, undefined>): AsyncGenerator<string> {
	for (;;) {
		const step = await steps.next();
		if (!step.done) {
			yield `${JSON.stringify({ seals: step.value })}\n`;
			continue;
		}
		const { broken } = step.value;
		yield `${JSON.stringify({ result: { ...step.value, sentence: broken && breakSentence(broken) } })}\n`;
		return;
	}
}
