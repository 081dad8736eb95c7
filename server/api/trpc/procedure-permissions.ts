import { OPERATIONS } from "#server/contract/operations.ts";
import type { Permission } from "#server/domain/permissions.ts";

/** Procedures used only by pages, and therefore not in the contract. `null`: any signed-in person. */
const PAGE_PROCEDURES: Readonly<Record<string, Permission | null>> = {
	me: null,
	changes: null,
	"team.names": "job:read",
	"deviceLogin.get": "token:manage",
	"deviceLogin.decide": "token:manage",
	"overview.summary": "capacity:read",
	"overview.demand": "capacity:read",
	"overview.events": "job:read",
	"overview.annotations": "capacity:read",
	"job.counts": "job:read",
	"job.events": "job:read",
	"job.logs": "job:read",
	"job.submit": "job:submit",
	"job.submitAll": "job:submit",
	"job.import": "job:submit",
	quote: "quote:ask",
	"site.useByHour": "capacity:read",
	"site.settings": "site:manage",
	"site.check": "site:manage",
	"policy.complete": "policy:read",
	"policy.tryRule": "policy:read",
	"backtest.prepare": "policy:edit",
	"policy.draft.get": "policy:edit",
	"policy.draft.save": "policy:edit",
	"policy.draft.discard": "policy:edit",
	"policy.publish": "policy:publish",
	"policy.proposals": "policy:read",
	"policy.approve": "budget:read",
	"policy.reject": "budget:read",
	"budget.settings": "budget:read",
	"budget.changeSettings": "budget:change",
	"budget.proposals": "budget:read",
	"budget.approve": "budget:read",
	"budget.reject": "budget:read",
	"approval.ofJob": "job:read",
	"approval.count": "job:read",
	"approval.changeSettings": "policy:publish",
	"carbon.page": "spend:read",
	"carbon.variance": "spend:read",
	"performance.page": "job:read",
	"spend.page": "spend:read",
	"spend.jobs": "spend:read",
	"spend.variance": "spend:read",
	"spend.inCurrency": "spend:read",
	"spend.options": "spend:read",
	"spend.calendar": "spend:read",
	"bill.uploadPart": "bill:import",
	"bill.importFile": "bill:import",
	"plan.uploadPart": "plan:run",
	"statement.preview": "statement:read",
	"statement.note": "statement:close",
	"statement.changeClosingDay": "statement:close",
};

const PERMISSIONS = new Map<string, Permission | null>([
	...OPERATIONS.map((o) => [o.id, o.permission] as const),
	...Object.entries(PAGE_PROCEDURES),
]);

/** What a procedure requires before its input is parsed; undefined when it is not listed, which rejects the call. */
export function permissionOf(path: string): Permission | null | undefined {
	return PERMISSIONS.get(path);
}
