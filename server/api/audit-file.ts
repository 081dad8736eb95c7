import type { ServiceContext } from "#server/services/core/context.ts";
import { exportAudit } from "#server/services/governance/audit/export.ts";
import { filtersOf } from "./rest/audit-routes.ts";
import { csvHeaders } from "./rest/stream-file.ts";

/** A page's download, by the query that REST takes; read as fast as the browser takes it. */
export async function downloadAudit(ctx: ServiceContext, query: URLSearchParams): Promise<Response> {
	const { fileName, contentType, chunks } = exportAudit(ctx, filtersOf(query), query.get("format") ?? undefined);
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
