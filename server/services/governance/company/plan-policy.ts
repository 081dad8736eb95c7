import type { CompanyText } from "#server/domain/company-file.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { ledgerCalendar, setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { fetchPointer, fetchVersion } from "#server/services/policy/fetch-version.ts";
import { knownFacts } from "../policy/known-facts.ts";
import { publishPolicy } from "../policy/publish.ts";
import type { CompanyContext, PlanPart } from "./change.ts";

/** `names`: teams and sites that exist once the file is applied. */
export async function planPolicy(
	ctx: CompanyContext,
	policy: NonNullable<CompanyText["policy"]>,
	names: { teams: readonly string[]; siteIds: readonly string[] },
): Promise<PlanPart> {
	const { source, locate } = policy;
	const facts = await knownFacts(ctx);
	const siteIds = [...new Set([...(facts.siteIds ?? []), ...names.siteIds])];
	const known = { ...(names.teams.length > 0 && { teams: names.teams }), ...(siteIds.length > 0 && { siteIds }) };
	const { problems } = parsePolicy(source, { ...facts, ...known });
	const located = problems
		.filter(({ severity }) => severity === "error")
		.map((problem) => ({
			path: "spec.policy",
			message: problem.fix === null ? problem.message : `${problem.message} ${problem.fix}`,
			...locate(problem),
		}));
	const pointer = await fetchPointer(ctx.db, DEFAULT_POLICY);
	const version = pointer?.activeVersion ?? 0;
	const before = pointer && (await fetchVersion(ctx.db, DEFAULT_POLICY, version)).source;
	if (before === source || located.length > 0) return { changes: [], skipped: [], problems: [], located };
	return {
		changes: [
			{
				...{ kind: "policy", id: DEFAULT_POLICY, action: pointer ? "update" : "create" },
				fields: [{ field: "document", before: before ?? null, after: source }],
				apply: (at) => publishPolicy(at, { name: DEFAULT_POLICY, source, message: "Applied from the company file", baseVersion: version }),
			},
		],
		skipped: [],
		problems: [],
	};
}

export async function planZone(ctx: CompanyContext, zone: string): Promise<PlanPart> {
	const before = (await ledgerCalendar(ctx.db)).zone;
	if (before === zone) return { changes: [], skipped: [], problems: [] };
	const fields = [{ field: "timeZone", before: JSON.stringify(before), after: JSON.stringify(zone) }];
	return {
		changes: [{ ...{ kind: "company", id: "company", action: "update", fields }, apply: (at) => setLedgerZone(at, zone) }],
		skipped: [],
		problems: [],
	};
}
