import { audit } from "#server/contract/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { exportAudit } from "#server/services/governance/audit/export.ts";
import { csvHeaders } from "./http/stream-file.ts";
import { readInput } from "./operations/read-input.ts";

/** A download from a page, with the same query as REST; reads as fast as the browser receives. */
export async function downloadAudit(ctx: ServiceContext, query: URLSearchParams): Promise<Response> {
	const { format, ...filters } = readInput(audit.export, { params: {}, query, body: undefined });
	const { fileName, contentType, chunks } = exportAudit(ctx, filters, format);
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			const { value, done } = await chunks.next();
			if (done) controller.close();
			else controller.enqueue(new Uint8Array(value));
		},
		async cancel() {
			await chunks.return();
		},
	});
	return new Response(body, { headers: { ...csvHeaders(fileName), "content-type": contentType } });
}
