import { BUDGET_PERIODS, CAP_REACTIONS, MOVE_KINDS } from "#server/domain/policy.ts";
import { CAPACITY_TYPES, CLOUD_PROVIDERS, ROLES, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { completeExpression } from "./complete-expression.ts";
import { FIELDS, type FieldNote } from "./complete-fields.ts";
import { placeAt } from "./complete-place.ts";
import type { Completion, CompletionFacts, Completions } from "./completion.ts";
import type { Place } from "./types.ts";

/** More values than a person would read; typing more narrows them down. */
const VALUES_MAX = 200;

/**
 * Completions at a position of a policy's text: fields by position, sites, regions, families, teams, and inside
 * conditions the names with their types and units. Pure, never throws. Works on text that cannot be parsed, because
 * unfinished text seldom can.
 */
export function completePolicy(text: string, offset: number, facts: CompletionFacts): Completions {
	const at = placeAt(text, Math.max(0, Math.min(offset, text.length)));
	if (at.kind === "comment") return { from: offset, items: [] };
	if (at.kind === "key") return { from: at.from, items: fieldsOf(at.path, at.siblings) };
	const last = at.path.at(-1) ?? "";
	if (last === "when" || last === "scope") {
		const asks = at.siblings.includes("require") && /\bapproval\b/.test(at.entry);
		const { from, items } = completeExpression(at.value, { teams: facts.teams, quote: last === "when" && asks });
		// Inside YAML's own quotes, a text uses the other kind.
		return {
			from: at.from + from,
			items: items.map((item) => (at.quote === '"' ? { ...item, insert: item.insert.replaceAll('"', "'") } : item)),
		};
	}
	return { from: at.from, items: valuesOf(at.path, facts, at.quote !== null).slice(0, VALUES_MAX) };
}

function fieldsOf(path: readonly string[], siblings: readonly string[]): Completion[] {
	const fields = FIELDS[path.join(".")] ?? (path.join(".") === "spec.shares" ? {} : null);
	if (!fields) return [];
	return Object.entries(fields)
		.filter(([name, note]) => !siblings.includes(name) && !note.alone?.some((other) => siblings.includes(other)))
		.map(([name, note]) => ({
			label: name,
			kind: "field" as const,
			detail: note.type,
			info: note.meaning,
			insert: `${name}: ${startOf(note)}`,
		}));
}

const startOf = (note: FieldNote): string => note.start ?? "";

type Values = readonly (readonly [value: string, detail: string])[];

function valuesOf(path: readonly string[], facts: CompletionFacts, quoted: boolean): Completion[] {
	const key = path.at(-1) ?? "";
	const values: Record<string, () => Values> = {
		apiVersion: () => [["spillway/v1", "the only one"]],
		kind: () => [["Policy", "the only one"]],
		sites: () => [["cloud", "every cloud site"], ["owned", "every site at home"], ...facts.siteIds.map((id) => [id, "site"] as const)],
		regions: () => regionsOf(facts.places),
		instanceFamilies: () => familiesOf(facts.instanceTypes),
		capacityTypes: () => CAPACITY_TYPES.map((type) => [type, "capacity type"] as const),
		capacityType: () => CAPACITY_TYPES.filter((type) => type !== "owned").map((type) => [type, "capacity type"] as const),
		approval: () => ROLES.map((role) => [role, "role"] as const),
		classes: () => WORKLOAD_CLASSES.map((name) => [name, "workload class"] as const),
		to: () =>
			path.includes("defer")
				? [
						["greener", "less CO2"],
						["cheaper", "a lower price"],
					]
				: MOVE_KINDS.map((to) => [to, "where to"] as const),
		period: () => BUDGET_PERIODS.map((period) => [period, "calendar period"] as const),
		atCap: () => CAP_REACTIONS.map((reaction) => [reaction, "at the cap"] as const),
		always: () => [["true", "bursts at once"]],
		shares: () => facts.teams.map((team) => [team, "team"] as const),
		...Object.fromEntries(["forecastWait", "waited", "deadlineSlack", "within", "for"].map((name) => [name, () => LENGTHS])),
	};
	return (Object.hasOwn(values, key) ? (values[key]?.() ?? []) : []).map(([value, detail]) => ({
		...{ label: value, kind: "value" as const, detail, info: null },
		// A colon or star must be quoted to be unambiguously a text in YAML.
		insert: !quoted && /[:*]/.test(value) ? JSON.stringify(value) : value,
	}));
}

const LENGTHS: Values = ["5m", "30m", "1h", "2h", "6h", "12h", "24h"].map((length) => [length, "length of time"] as const);

function regionsOf(places: readonly Place[]): Values {
	const regions = [...new Set(places.flatMap((p) => (p.region === null ? [] : [`${p.provider}:${p.region}`])))].sort();
	const groups = new Map<string, number>();
	for (const region of regions) {
		const prefix = /^(\w+:[a-z]+)(?=-)/.exec(region)?.[1];
		if (prefix) groups.set(`${prefix}-*`, (groups.get(`${prefix}-*`) ?? 0) + 1);
	}
	const patterns = [...groups].map(([pattern, count]) => [pattern, `${count} ${count === 1 ? "region" : "regions"}`] as const);
	const whole = CLOUD_PROVIDERS.filter((p) => regions.some((r) => r.startsWith(`${p}:`))).map((p) => [`${p}:*`, "every region"] as const);
	return [...whole, ...patterns, ...regions.map((region) => [region, "region"] as const)];
}

/** The part before the dot, if any: `p4d` also means p4d.24xlarge. */
function familiesOf(instanceTypes: CompletionFacts["instanceTypes"]): Values {
	const counts = new Map<string, Set<string>>();
	for (const { instanceType, provider } of instanceTypes) {
		if (instanceType === null) continue;
		const family = instanceType.split(".", 1)[0] ?? instanceType;
		const types = counts.get(family) ?? new Set();
		counts.set(family, types.add(`${provider}: ${instanceType}`));
	}
	return [...counts]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([family, types]) => [family, types.size === 1 ? ([...types][0] ?? "family") : `family of ${types.size} types`] as const);
}
