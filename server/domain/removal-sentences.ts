import { assertNever } from "../kernel/assert.ts";
import type { RemovalCode } from "./decision.ts";
import {
	askedPerson,
	budgetName,
	capWords,
	clause,
	type Facts,
	label,
	PLAIN_FORMATTERS,
	type Read,
	read,
	type SentenceFormatters,
} from "./sentence-facts.ts";

/** Why a place is excluded for a job, as shown in the Decision table. Covers every code of the closed list. */
export function removalSentenceOf(
	removal: { ruleId: string | null; why: RemovalCode; facts: Facts },
	formatters: SentenceFormatters = PLAIN_FORMATTERS,
): string {
	const words = removalWords(removal.why, removal.ruleId, read(removal.facts, formatters));
	return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The same without capital and full stop, for use inside a sentence. */
export function removalWords(why: RemovalCode, ruleId: string | null, r: Read): string {
	const rule = ruleId === null ? "the policy" : `rule ${ruleId}`;
	const asked = (name: string, unit: string): string => clause(r.text(name), (n) => ` of the ${n} ${unit} requested`);
	switch (why) {
		case "site_denied":
			return `${rule} denies ${r.text("denied") === "cloud" ? "the cloud" : (r.text("site") ?? "its site")}`;
		case "site_not_allowed":
			return `${rule} does not allow site ${r.text("site") ?? ""}`.trim();
		case "region_denied":
			return `${rule} denies region ${r.text("region") ?? ""}`.trim();
		case "region_not_allowed":
			return `${rule} does not allow region ${r.text("region") ?? ""}${clause(r.text("allowed"), (a) => ` (only ${a})`)}`;
		case "family_denied":
			return `${rule} denies ${r.text("instanceType") ?? "this instance family"}`;
		case "family_not_allowed":
			return `${rule} does not allow ${r.text("instanceType") ?? "this instance family"}${clause(r.text("allowed"), (a) => ` (only ${a})`)}`;
		case "capacity_type_denied":
			return `${rule} denies ${label(r.text("capacityType")) ?? "this"} capacity`;
		case "capacity_type_required":
			return `${rule} requires ${label(r.text("required")) ?? "another"} capacity`;
		case "residency":
			return `${ruleId === null ? "residency" : rule} keeps the job's data in ${r.text("residency") ?? "its own area"}${clause(r.text("region"), (name) => `, and ${name} is elsewhere`)}`;
		case "data_at_home":
			return `the job's data ${r.text("uri") ?? "set"} is on the owned sites, and no copy of it is known there`;
		case "mount_missing":
			return `site ${r.text("site") ?? ""} has no mount ${r.text("mount") ?? ""}`.replaceAll("  ", " ").trim();
		case "hardware_gpus":
			return `it has ${r.text("has") ?? "fewer"}${asked("asked", "GPUs") || " GPUs, fewer than requested"}`;
		case "hardware_accelerator":
			return `its accelerator is ${r.text("has") ?? "another"}${clause(r.text("asked"), (a) => `, not ${a}`)}`;
		case "hardware_cpus":
			return `it has ${r.text("has") ?? "fewer"}${asked("asked", "CPUs") || " CPUs, fewer than requested"}`;
		case "hardware_memory":
			return `it has ${r.text("hasGiB") ?? "less"}${asked("askedGiB", "GiB of memory") || " GiB of memory, less than requested"}`;
		case "hardware_gpu_memory":
			return `its GPUs have ${r.text("hasGiB") ?? "less"}${asked("askedGiB", "GiB of GPU memory") || " GiB of memory, less than requested"}`;
		case "hardware_bf16":
			return `its accelerator ${clause(r.text("has"), (name) => `${name} `)}does not support bfloat16`;
		case "hardware_interconnect":
			return interconnectWords(r);
		case "hardware_slice":
			return `its TPU slice ${clause(r.text("has"), (type) => `${type} `)}has ${r.text("hosts") ?? "several"} hosts, which start together${clause(r.count("askedNodes"), (n) => `; the job has nodes: ${n}`)}`;
		default:
			return stateWords(why, r, ruleId);
	}
}

type StateCode = Exclude<
	RemovalCode,
	| `site_${"denied" | "not_allowed"}`
	| `region_${string}`
	| `family_${string}`
	| `capacity_type_${string}`
	| "residency"
	| "data_at_home"
	| "mount_missing"
	| `hardware_${string}`
>;

/** Exclusions because of price, money or the state of a place, not because of its properties. */
function stateWords(why: StateCode, r: Read, ruleId: string | null): string {
	switch (why) {
		case "price_missing":
			return "its price is unknown";
		case "price_zero":
			return `its price reads ${r.money("hourlyMicroUsd") ?? "$0.00"} per hour, which cannot be right`;
		case "price_stale":
			return `its price is ${r.duration("ageMs") ?? "too"} old${clause(r.instant("observedAtMs"), (t) => ` (seen ${t})`)}${clause(r.duration("maxAgeMs"), (d) => `; the limit is ${d}`)}`;
		case "spot_not_cheaper":
			return `spot at ${r.money("hourlyMicroUsd") ?? "this price"} per hour is no cheaper than on-demand${clause(r.money("onDemandHourlyMicroUsd"), (m) => ` at ${m}`)}`;
		case "capacity_backoff":
			return `it had no ${r.text("why") === "quota_exceeded" ? "quota" : "capacity"} recently${clause(r.instant("untilMs"), (t) => ` and is paused until ${t}`)}`;
		case "burst_not_due":
			return "no burst rule lets the job leave home now";
		case "budget_exceeded":
			return `${budgetName(r)} is ${r.money("missingMicroUsd") ?? "money"} short of its worst case`;
		case "approval_required":
			return `rule ${ruleId ?? "of the policy"} requires approval by ${askedPerson(r.text("role"))}${clause(r.money("costMicroUsd"), (m) => ` for ${m}`)}`;
		case "no_free_slots":
			return "no slots are free now";
		case "site_unreachable":
			return `site${clause(r.text("siteId"), (s) => ` ${s}`)} does not respond`;
		case "multi_node_unsupported":
			return `it cannot start ${clause(r.count("askedNodes"), (n) => `${n} `)}machines together`;
		default:
			return limitWords(why, r, ruleId);
	}
}

type LimitCode =
	| `reserved_${"full" | "too_short"}`
	| "quota_exceeded"
	| "cap_exceeded"
	| `burst_${"cost" | "data"}_limit`
	| "deadline_needs_firm"
	| "too_slow"
	| "life_too_short"
	| "data_too_slow"
	| `spot_${"is_cheapest" | "too_short" | "worth_the_wait"}`;

/** Exclusions because of an available or permitted amount. */
function limitWords(why: LimitCode, r: Read, ruleId: string | null): string {
	const rule = ruleId === null ? "a burst rule" : `rule ${ruleId}`;
	switch (why) {
		case "reserved_full":
			return `${clause(r.count("freeInstances"), (n) => `only ${n} `) || "too few "}instances of the reserved capacity are free${clause(r.count("askedNodes"), (n) => `, and the job needs ${n}`)}`;
		case "reserved_too_short":
			return `its capacity ends${clause(r.instant("untilMs"), (t) => ` at ${t}`)}, before the job finishes${clause(r.duration("neededMs"), (d) => `; it needs ${d}`)}`;
		case "quota_exceeded":
			return `the account's quota${clause(r.text("quota"), (name) => ` ${name}`)}${clause(r.count("limit"), (n) => ` of ${n}${clause(r.text("unit"), (unit) => (unit === "gpus" ? " GPUs" : " cores"))}${clause(r.count("used"), (u) => `, ${u} used,`)}`)} leaves ${clause(r.count("freeGpus"), (n) => `${n} `) || "too few "}GPUs there${clause(r.count("askedGpus"), (n) => `, and the job needs ${n}`)}`;
		case "cap_exceeded":
			return capWords(r);
		case "too_slow":
			return `the job may need ${r.duration("neededMs") ?? "too long"} on ${r.text("accelerator") ?? "this accelerator"}${clause(r.duration("limitMs"), (d) => `, over its limit of ${d}`)}`;
		case "life_too_short":
			return `the instance lifetime${clause(r.duration("lifeMs"), (d) => ` of ${d}`)} is too short for the job to ${r.text("missing") === "checkpoint" ? "reach its next checkpoint" : "finish"}${clause(r.duration("neededMs"), (d) => `: it needs ${d}`)}`;
		case "data_too_slow":
			return `copying the job's data there takes ${r.duration("stagingMs") ?? "too long"}; with the run, that does not fit ${r.text("limit") === "deadline" ? "before the job's deadline" : "into the lifetime of an instance"}${clause(r.duration("leftMs"), (d) => ` (${d})`)}`;
		case "deadline_needs_firm":
			return "spot may be reclaimed, and the job's deadline leaves no time for that";
		case "spot_is_cheapest":
			return "spot is expected to cost less overall, interruptions included, and still meets the deadline";
		case "spot_too_short":
			return "spot is not expected to last long enough to be worth the time lost before the job's deadline";
		case "spot_worth_the_wait":
			return `waiting for spot is expected to cost less, and the job's deadline allows it${clause(r.instant("untilMs"), (t) => ` until ${t}`)}`;
		case "burst_cost_limit":
			return `it is expected to cost ${r.money("costMicroUsd") ?? "more"}${clause(r.money("atMostMicroUsd"), (m) => `, but ${rule} allows ${m}`)}`;
		case "burst_data_limit":
			return `${clause(r.count("dataGiB"), (n) => `${n} GiB of data`) || "data of unknown size"} would have to be copied there${clause(r.count("atMostGiB"), (n) => `, but ${rule} allows ${n} GiB`)}`;
		default:
			return assertNever(why, "removal code");
	}
}

function interconnectWords(r: Read): string {
	const has = r.text("has");
	const needed = r.count("needsSubnetworks");
	if (has !== null && needed !== null)
		return `site setting gpuSubnetworks has fewer than the ${needed} subnetworks that ${has} needs${clause(r.text("region"), (name) => ` in ${name}`)}`;
	const machines = has === null ? "its nodes have" : `its instance type ${has} has`;
	return `${machines} no high-bandwidth interconnect${r.text("spot") === "true" ? " as spot" : ""}`;
}
