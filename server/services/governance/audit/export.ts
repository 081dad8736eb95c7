import { csvRecord } from "#server/accounting/focus/csv.ts";
import { AUDIT_FORMATS, auditFilters } from "#server/contract/inputs/audit.ts";
import type { Db } from "#server/db/client.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { limitRunning } from "#server/services/core/running-of-person.ts";
import type { AuditFilters } from "./filters.ts";
import { type AuditLine, readLines } from "./list.ts";

/** Entries per read. */
const BATCH_LINES = 1_000;

export type AuditFormat = (typeof AUDIT_FORMATS)[number];

export interface AuditExport {
	fileName: string;
	contentType: string;
	chunks: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * Every entry that matches the filters, newest first, with its seal. Streams in constant memory, without holding a transaction open.
 * @throws SpillwayError `forbidden`, `invalid_input` for an unknown format.
 */
export function exportAudit(ctx: ServiceContext, raw: AuditFilters, formatText: string | undefined): AuditExport {
	authorize(ctx, "audit:read", null);
	const filters = auditFilters.parse(raw);
	const format = AUDIT_FORMATS.find((f) => f === (formatText ?? "csv"));
	if (!format) {
		throw new SpillwayError("invalid_input", `The format "${String(formatText).slice(0, 40)}" is not one of ${AUDIT_FORMATS.join(", ")}.`, {
			fields: [{ path: "format", message: `one of ${AUDIT_FORMATS.join(", ")}` }],
		});
	}
	const day = new Date(ctx.clock.nowMs()).toISOString().slice(0, 10);
	return {
		fileName: `spillway-audit-${day}.${format}`,
		contentType: format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8",
		chunks: limitRunning(ctx, "export", chunksOf(ctx.db, filters, format)),
	};
}

const COLUMNS = [
	...["id", "at", "actor", "actorName", "action", "subject", "before", "after", "requestId", "via", "source"],
	...["sequence", "hash"],
] as const;

async function* chunksOf(db: Db, filters: AuditFilters, format: AuditFormat): AsyncGenerator<Buffer, void, undefined> {
	if (format === "csv") yield Buffer.from(csvRecord([...COLUMNS]));
	let beforeId: number | null = null;
	for (;;) {
		const lines: AuditLine[] = await readLines(db, filters, { beforeId, limit: BATCH_LINES });
		if (lines.length > 0) yield Buffer.from(lines.map(format === "csv" ? csvLine : jsonLine).join(""));
		beforeId = lines.at(-1)?.id ?? null;
		if (lines.length < BATCH_LINES) return;
	}
}

function jsonLine(line: AuditLine): string {
	return `${JSON.stringify(line)}\n`;
}

function csvLine(line: AuditLine): string {
	const json = (value: unknown): string => (value === null ? "" : JSON.stringify(value));
	return csvRecord([
		...[String(line.id), line.at, line.actor, line.actorName ?? "", line.action, line.subject, json(line.before), json(line.after)],
		...[line.requestId ?? "", line.via ?? "", line.source ?? "", String(line.seal?.sequence ?? ""), line.seal?.hash ?? ""],
	]);
}
