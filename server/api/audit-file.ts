import { audit } from "#server/contract/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { exportAudit } from "#server/services/governance/audit/export.ts";
import { streamDownload } from "./http/stream-download.ts";
import { readInput } from "./operations/read-input.ts";

/** A download from a page, with the same query as REST. */
export async function downloadAudit(ctx: ServiceContext, request: Request): Promise<Response> {
	const query = new URL(request.url).searchParams;
	const { format, ...filters } = readInput(audit.export, { params: {}, query, body: undefined });
	return streamDownload(request, exportAudit(ctx, filters, format));
}
