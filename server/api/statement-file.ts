import { STATEMENT_FORMATS } from "#server/contract/inputs/statement.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { statementCsv } from "#server/services/reporting/statement/csv.ts";
import { getStatement, type StatementView } from "#server/services/reporting/statement/get.ts";
import { statementPdf } from "#server/services/reporting/statement/pdf.ts";

type StatementFormat = (typeof STATEMENT_FORMATS)[number];

export interface StatementFile {
	bytes: Buffer;
	headers: Record<string, string>;
}

/** A statement as a file, the same for REST and for signed-in people. */
export async function statementFile(
	ctx: ServiceContext,
	input: { month: string; team: string; version?: number; currency?: string; format: Exclude<StatementFormat, "json"> },
): Promise<StatementFile> {
	const { format, ...which } = input;
	const view = await getStatement(ctx, which);
	const bytes = Buffer.from(format === "pdf" ? await offLoop(ctx, "statement.pdf", statementPdf, view) : statementCsv(view));
	return {
		bytes,
		headers: {
			"content-type": format === "pdf" ? "application/pdf" : "text/csv; charset=utf-8",
			"content-length": String(bytes.length),
			"content-disposition": `attachment; filename="${fileName(view, format)}"`,
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
		},
	};
}

/** @throws SpillwayError `invalid_input` */
export function formatOf(text: string | undefined): StatementFormat {
	const format = STATEMENT_FORMATS.find((f) => f === (text ?? "json"));
	if (format) return format;
	throw new SpillwayError("invalid_input", `format: "${String(text).slice(0, 40)}" is not one of ${STATEMENT_FORMATS.join(", ")}.`, {
		fields: [{ path: "format", message: `one of ${STATEMENT_FORMATS.join(", ")}` }],
	});
}

/** Only characters allowed in a header's file name. */
function fileName({ content, shown }: StatementView, format: string): string {
	const team = content.team === "" ? "company" : content.team.replace(/[^\w.-]+/g, "-");
	return `spillway-statement-${content.month}-${team}-${shown ? `v${shown.version}` : "preview"}.${format}`;
}

/** A download from a page, with the same query as REST. */
export async function downloadStatement(ctx: ServiceContext, month: string, query: URLSearchParams): Promise<Response> {
	const format = formatOf(query.get("format") ?? "pdf");
	const version = query.get("version");
	const currency = query.get("currency");
	const which = {
		...{ month, team: query.get("team") ?? "" },
		...(version === null ? {} : { version: Number(version) }),
		...(currency === null ? {} : { currency }),
	};
	if (format === "json") throw new SpillwayError("invalid_input", "A page downloads csv or pdf.");
	const { bytes, headers } = await statementFile(ctx, { ...which, format });
	return new Response(new Uint8Array(bytes), { headers });
}
