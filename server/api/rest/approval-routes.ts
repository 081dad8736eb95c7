import type { z } from "zod";
import { askAgain } from "#server/services/work/approval/ask-again.ts";
import { grantApproval, grantInput, refuseApproval, refuseInput } from "#server/services/work/approval/decide.ts";
import { getApproval, listApprovals, type listApprovalsInput } from "#server/services/work/approval/list.ts";
import { approvalOutlook, type outlookInput } from "#server/services/work/approval/outlook.ts";
import { numberParam, refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

const fieldsOf = (body: unknown): object => (body !== null && typeof body === "object" ? body : {});

/** What is given of the query, by name; the services parse it. */
function given(query: URLSearchParams, names: readonly string[]): Record<string, string> {
	return Object.fromEntries(
		names.flatMap((name) => {
			const value = textParam(query, name);
			return value === undefined ? [] : [[name, value] as const];
		}),
	);
}

export const approvalRoutes: Route[] = [
	{
		method: "GET",
		path: "/approvals",
		summary: "Jobs that a rule asks a person about, newest first; state=open or past, jobId=",
		permission: "job:read",
		async handle(ctx, { query }) {
			const names = ["state", "jobId", "cursor"];
			refuseUnknown(query, [...names, "limit"]);
			const limit = numberParam(query, "limit");
			const input = { ...given(query, names), ...(limit === undefined ? {} : { limit }) };
			return ok(await listApprovals(ctx, input as z.input<typeof listApprovalsInput>));
		},
	},
	{
		method: "GET",
		path: "/approvals/outlook",
		summary: "Who of a role could say yes to a job of yours, and how long answers usually take; role=platform or finance",
		permission: "quote:ask",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["role"]);
			return ok(await approvalOutlook(ctx, given(query, ["role"]) as z.input<typeof outlookInput>));
		},
	},
	{
		method: "GET",
		path: "/approvals/{id}",
		summary: "What is asked: the quote, the rule, the budget that is free, and what was answered",
		permission: "job:read",
		handle: async (ctx, { params }) => ok(await getApproval(ctx, params.id ?? "")),
	},
	{
		method: "POST",
		path: "/approvals/{id}/grant",
		summary: "Say yes, up to an amount if one is given: the job is looked at again at once",
		permission: "job:approve",
		body: grantInput.omit({ id: true }),
		write: true,
		handle: async (ctx, { params, body }) => ok(await grantApproval(ctx, { ...fieldsOf(body), id: params.id ?? "" })),
	},
	{
		method: "POST",
		path: "/approvals/{id}/refuse",
		summary: "Say no: the job waits at home, and the rule asks again only if who submitted it does",
		permission: "job:approve",
		body: refuseInput.omit({ id: true }),
		write: true,
		handle: async (ctx, { params, body }) => ok(await refuseApproval(ctx, { ...fieldsOf(body), id: params.id ?? "" })),
	},
	{
		method: "POST",
		path: "/jobs/{id}/ask-again",
		summary: "After a no, or when no one answered in time: ask again",
		permission: "job:submit",
		write: true,
		handle: async (ctx, { params }) => ok(await askAgain(ctx, { jobId: params.id ?? "" })),
	},
];
