import { bill } from "#server/contract/bill.ts";
import { reconciliationHistoryInput, reconciliationInput, resourceLinesInput } from "#server/contract/inputs/bill.ts";
import { statement } from "#server/contract/statement.ts";
import { exportBill } from "#server/services/ledger/bill/export.ts";
import { readReconciliationHistory } from "#server/services/ledger/bill/history.ts";
import { importBill } from "#server/services/ledger/bill/import.ts";
import { getBill, listBills } from "#server/services/ledger/bill/list.ts";
import { monthsOfBill } from "#server/services/ledger/bill/months-of-bill.ts";
import { reconcileMonth } from "#server/services/ledger/bill/reconcile.ts";
import { readReconciliation } from "#server/services/ledger/bill/reconciliation.ts";
import { listResourceLines } from "#server/services/ledger/bill/resource-lines.ts";
import { exportFocus } from "#server/services/reporting/export/focus.ts";
import { closeMonth } from "#server/services/reporting/statement/close.ts";
import { getStatement } from "#server/services/reporting/statement/get.ts";
import { listStatements } from "#server/services/reporting/statement/list.ts";
import { signStatement } from "#server/services/reporting/statement/sign.ts";
import { ok } from "../http/route.ts";
import { streamCsv } from "../http/stream-file.ts";
import { formatOf, statementFile } from "../statement-file.ts";
import { bind, bindRest, withRest } from "./bind.ts";

export const statementOperations = {
	list: bind(statement.list, async (ctx, input) => ({ ...(await listStatements(ctx, input)), nextCursor: null })),
	get: withRest(
		bind(statement.get, (ctx, { format: _, ...which }) => getStatement(ctx, which)),
		async (ctx, { format: asked, team = "", ...which }, { response }) => {
			const format = formatOf(asked);
			if (format === "json") return ok(await getStatement(ctx, { ...which, team }));
			const { month, version, currency } = which;
			const file = await statementFile(ctx, {
				...{ month, team, format },
				...(version === undefined ? {} : { version }),
				...(currency === undefined ? {} : { currency }),
			});
			response.writeHead(200, file.headers);
			response.end(file.bytes);
			return "streamed";
		},
	),
	close: bind(statement.close, closeMonth),
	sign: bind(statement.sign, signStatement),
};

export const billOperations = {
	exportFocus: bindRest(bill.exportFocus, async (ctx, { month = "", ...input }, request) =>
		streamCsv(request, await exportFocus(ctx, { month, ...input })),
	),
	import: bindRest(bill.import, async (ctx, { name = "bill.csv" }, { upload }) => {
		const imported = await importBill(ctx, { fileName: name, bytes: upload });
		// Also for a file that was already imported: its reconciliation may have failed.
		for (const month of await monthsOfBill(ctx.db, imported.bill.id)) await reconcileMonth(ctx, { month });
		return ok({ ...imported, bill: await getBill(ctx, imported.bill.id) }, imported.alreadyImported ? 200 : 201);
	}),
	list: bind(bill.list, listBills),
	reconciliation: bind(bill.reconciliation, (ctx, input) => readReconciliation(ctx, reconciliationInput.parse(input))),
	reconciliationHistory: bind(bill.reconciliationHistory, (ctx, input) =>
		readReconciliationHistory(ctx, reconciliationHistoryInput.parse(input)),
	),
	lines: bind(bill.lines, (ctx, input) => listResourceLines(ctx, resourceLinesInput.parse(input))),
	reconcile: bind(bill.reconcile, async (ctx, input) => {
		const { month, final } = bill.reconcile.input.parse(input);
		await reconcileMonth(ctx, { month, ...(final ? { final } : {}) });
		return readReconciliation(ctx, { month });
	}),
	get: bind(bill.get, (ctx, { id }) => getBill(ctx, id)),
	export: bindRest(bill.export, async (ctx, { id }, request) => streamCsv(request, await exportBill(ctx, id))),
};
