import type { ServiceContext } from "#server/services/core/context.ts";
import { exportFocus } from "#server/services/reporting/export/focus.ts";
import { streamDownload } from "./http/stream-download.ts";

/** A download from a page, with the same query as REST. */
export async function downloadFocus(ctx: ServiceContext, request: Request): Promise<Response> {
	const query = new URL(request.url).searchParams;
	const file = await exportFocus(ctx, {
		month: query.get("month") ?? "",
		format: query.get("format") ?? "csv",
		dataset: query.get("dataset") ?? undefined,
		version: query.get("version") ?? undefined,
		asOf: query.get("asOf") ?? undefined,
	});
	return streamDownload(request, file);
}
