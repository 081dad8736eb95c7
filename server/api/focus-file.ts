import type { ServiceContext } from "#server/services/core/context.ts";
import { exportFocus } from "#server/services/reporting/export/focus.ts";
import { csvHeaders } from "./http/stream-file.ts";

/** A download from a page, with the same query as REST; reads as fast as the browser receives. */
export async function downloadFocus(ctx: ServiceContext, query: URLSearchParams): Promise<Response> {
	const { fileName, chunks } = await exportFocus(ctx, {
		month: query.get("month") ?? "",
		format: query.get("format") ?? "csv",
		dataset: query.get("dataset") ?? undefined,
		version: query.get("version") ?? undefined,
		asOf: query.get("asOf") ?? undefined,
	});
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
	return new Response(body, { headers: csvHeaders(fileName) });
}
