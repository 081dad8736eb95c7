import type { IconName } from "#components/ui/icon.tsx";
import type { FoundEntity, SearchKind } from "#server/domain/search.ts";
import type { Command } from "./command.ts";
import type { Verb } from "./parse-query.ts";

const ICONS: Readonly<Record<SearchKind, IconName>> = {
	...{ job: "jobs", approval: "approvals", pipeline: "pipelines", trigger: "triggers", team: "user", person: "user" },
	...{ policy: "policies", rule: "policies", budget: "budgets", site: "capacity", machine: "capacity" },
	...{ month: "statements", doc: "question" },
};

const SECTIONS: Partial<Record<Verb, { label: string; path: string }>> = {
	logs: { label: "Logs", path: "/logs" },
	metrics: { label: "Metrics", path: "/metrics" },
	files: { label: "Files", path: "/files" },
	cost: { label: "Receipt", path: "/cost" },
};

/** The command that opens an entity or applies the verb to it. Null if the caller cannot do that now. */
export function commandOf(entity: FoundEntity, verb: Verb | null): Command | null {
	const { kind, id, name } = entity;
	const base = { id: `${kind}-${id}`, icon: ICONS[kind], detail: detailOf(entity) };
	const open = (label: string, href: string): Command => ({ ...base, label, act: { kind: "open", href } });
	if (verb === null) return open(name, entity.href);
	if (verb === "approve") {
		// Users who cannot decide an approval can still open it.
		if (!entity.actions.includes("approve")) return open(name, entity.href);
		return { ...base, label: `Approve ${name}`, act: { kind: "approve", id, name } };
	}
	if (verb === "cancel") {
		return entity.actions.includes("cancel") ? { ...base, label: `Cancel ${name}`, act: { kind: "cancel", id, name } } : null;
	}
	if (verb === "why") return open(`Why is ${name} ${stateOf(entity)}?`, `/jobs/${id}/decision`);
	if (verb === "clone") return open(`Clone ${name}`, `/jobs/new?from=${id}`);
	const section = SECTIONS[verb];
	return section ? open(`${section.label} of ${name}`, `/jobs/${id}${section.path}`) : null;
}

function detailOf({ kind, detail }: FoundEntity): string {
	return kind === "job" ? detail : `${kind === "doc" ? "docs" : kind} · ${detail}`;
}

/** A job's detail begins with its state. */
function stateOf({ detail }: FoundEntity): string {
	return detail.split(",")[0] ?? "";
}
