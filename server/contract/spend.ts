import { operation } from "./operation.ts";

export const spend = {
	by: operation({
		method: "GET",
		path: "/spend",
		summary: "Get owned, idle and cloud cost by dimension, by time or by job",
		permission: "spend:read",
	}),
	charges: operation({
		method: "GET",
		path: "/charges",
		summary: "List the charges behind a number, newest first, with totals of the selection",
		permission: "charge:read",
		procedure: "query",
	}),
	refund: operation({
		method: "POST",
		path: "/charges/{id}/refund",
		summary: "Refund a cloud machine's charge, fully or in part",
		permission: "rates:change",
		status: 201,
		write: true,
		procedure: "mutation",
	}),
};

export const ledger = {
	get: operation({
		method: "GET",
		path: "/ledger",
		summary: "Get the ledger's time zone and the result of its last check",
		permission: "spend:read",
	}),
	setZone: operation({
		method: "PUT",
		path: "/ledger/zone",
		summary: "Set the ledger's time zone, before the first charge",
		permission: "rates:change",
		write: true,
	}),
};
