import { z } from "zod";
import { reconciliationHistoryInput, reconciliationInput, resourceLinesInput } from "#server/contract/inputs/bill.ts";
import { exportBill } from "#server/services/ledger/bill/export.ts";
import { readReconciliationHistory } from "#server/services/ledger/bill/history.ts";
import { importBill } from "#server/services/ledger/bill/import.ts";
import { getBill, listBills } from "#server/services/ledger/bill/list.ts";
import { monthsOfBill } from "#server/services/ledger/bill/months-of-bill.ts";
import { reconcileMonth } from "#server/services/ledger/bill/reconcile.ts";
import { readReconciliation } from "#server/services/ledger/bill/reconciliation.ts";
import { listResourceLines } from "#server/services/ledger/bill/resource-lines.ts";
import { exportFocus } from "#server/services/reporting/export/focus.ts";
import { refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";
import { streamCsv } from "./stream-file.ts";

const reconcileBody = z.strictObject({ final: z.boolean().default(false) });

export const billRoutes: Route[] = [
	{
		method: "GET",
		path: "/exports/focus",
		summary: "Every charge of a month (month=yyyy-mm) as FOCUS 1.2, format=csv: a stream of any length; asOf: the ledger at that time",
		permission: "charge:read",
		answers: "text/csv",
		async handle(ctx, request) {
			refuseUnknown(request.query, ["month", "format", "asOf"]);
			const format = textParam(request.query, "format");
			const month = textParam(request.query, "month") ?? "";
			const asOf = textParam(request.query, "asOf");
			return streamCsv(request, await exportFocus(ctx, { month, asOf, ...(format === undefined ? {} : { format }) }));
		},
	},
	{
		method: "POST",
		path: "/invoices",
		summary:
			"Import a provider's FOCUS file (1.0 to 1.2, CSV or gzip of it) of any size and reconcile its months; the same file again changes nothing",
		permission: "bill:import",
		takes: "text/csv",
		async handle(ctx, { query, raw }) {
			refuseUnknown(query, ["name"]);
			const imported = await importBill(ctx, { fileName: textParam(query, "name") ?? "bill.csv", bytes: raw });
			// Also for a file that was here before: what failed then is made good.
			for (const month of await monthsOfBill(ctx.db, imported.bill.id)) await reconcileMonth(ctx, { month });
			const bill = await getBill(ctx, imported.bill.id);
			return ok({ ...imported, bill }, imported.alreadyImported ? 200 : 201);
		},
	},
	{
		method: "GET",
		path: "/invoices",
		summary: "Imported bills, newest first",
		permission: "bill:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, []);
			return ok({ items: await listBills(ctx), nextCursor: null });
		},
	},
	{
		method: "GET",
		path: "/reconciliations/{month}",
		summary: "What came of holding a month's bills (yyyy-mm, UTC) against the ledger, what differs most first; by state, provider, team",
		permission: "bill:read",
		async handle(ctx, { params, query }) {
			const names = ["state", "provider", "team"];
			refuseUnknown(query, names);
			const asked = Object.fromEntries(names.map((name) => [name, textParam(query, name)]));
			return ok(await readReconciliation(ctx, reconciliationInput.parse({ month: params["month"] ?? "", ...asked })));
		},
	},
	{
		method: "GET",
		path: "/reconciliations/{month}/history",
		summary:
			"When a month's bills (yyyy-mm, UTC) were held against the ledger, newest first, who did it, and what each time posted; by provider",
		permission: "bill:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["provider"]);
			const asked = { month: params["month"] ?? "", provider: textParam(query, "provider") };
			return ok(await readReconciliationHistory(ctx, reconciliationHistoryInput.parse(asked)));
		},
	},
	{
		method: "GET",
		path: "/reconciliations/{month}/lines",
		summary: "The lines of bills behind one resource of a reconciliation: resource, and instance where it was matched to one",
		permission: "bill:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["resource", "instance"]);
			const asked = { month: params["month"] ?? "", resourceId: textParam(query, "resource"), instanceId: textParam(query, "instance") };
			return ok(await listResourceLines(ctx, resourceLinesInput.parse(asked)));
		},
	},
	{
		method: "POST",
		path: "/reconciliations/{month}",
		summary: "Hold a month's bills against the ledger again; final: what they do not have is reversed",
		permission: "bill:import",
		body: reconcileBody,
		async handle(ctx, { params, body }) {
			const { final } = reconcileBody.parse(body ?? {});
			const month = params["month"] ?? "";
			await reconcileMonth(ctx, { month, ...(final ? { final } : {}) });
			return ok(await readReconciliation(ctx, { month }));
		},
	},
	{
		method: "GET",
		path: "/invoices/{id}",
		summary: "One imported bill with its columns",
		permission: "bill:read",
		handle: async (ctx, { params }) => ok(await getBill(ctx, params["id"] ?? "")),
	},
	{
		method: "GET",
		path: "/invoices/{id}/lines",
		summary: "The lines of a bill as they came: the same values in the same columns",
		permission: "bill:read",
		answers: "text/csv",
		async handle(ctx, request) {
			refuseUnknown(request.query, []);
			return streamCsv(request, await exportBill(ctx, request.params["id"] ?? ""));
		},
	},
];
