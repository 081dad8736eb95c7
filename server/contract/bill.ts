import { operation } from "./operation.ts";

export const bill = {
	exportFocus: operation({
		method: "GET",
		path: "/exports/focus",
		summary: "Export every charge of a month as FOCUS 1.2",
		permission: "charge:read",
		media: ["text/csv"],
	}),
	import: operation({
		method: "POST",
		path: "/invoices",
		summary: "Import a provider's FOCUS file and reconcile its months",
		permission: "bill:import",
		status: [200, 201],
		accepts: ["text/csv"],
	}),
	list: operation({
		method: "GET",
		path: "/invoices",
		summary: "List imported bills, newest first",
		permission: "bill:read",
		procedure: "query",
	}),
	reconciliation: operation({
		method: "GET",
		path: "/reconciliations/{month}",
		summary: "Get a month's bills compared with the ledger, largest difference first",
		permission: "bill:read",
		procedure: "query",
	}),
	reconciliationHistory: operation({
		method: "GET",
		path: "/reconciliations/{month}/history",
		summary: "List a month's reconciliations, newest first, and what each posted",
		permission: "bill:read",
		procedure: "query",
	}),
	lines: operation({
		method: "GET",
		path: "/reconciliations/{month}/lines",
		summary: "List the bill lines behind one resource of a reconciliation",
		permission: "bill:read",
		procedure: "query",
	}),
	reconcile: operation({
		method: "POST",
		path: "/reconciliations/{month}",
		summary: "Compare a month's bills with the ledger again",
		permission: "bill:import",
	}),
	get: operation({
		method: "GET",
		path: "/invoices/{id}",
		summary: "Get an imported bill with its columns",
		permission: "bill:read",
	}),
	export: operation({
		method: "GET",
		path: "/invoices/{id}/lines",
		summary: "Download the lines of a bill unchanged",
		permission: "bill:read",
		media: ["text/csv"],
	}),
};
