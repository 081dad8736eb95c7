import { isScalar } from "yaml";
import type { Rule } from "#server/domain/policy.ts";
import { nearestName, suggestName } from "#server/kernel/nearest-name.ts";
import { checkExpression } from "./check-expression.ts";
import type { ExpressionScope, KnownNames } from "./check-names.ts";
import { sourceOffset } from "./expression-position.ts";
import type { PolicyText } from "./policy-text.ts";
import type { Measure } from "./types.ts";

type Path = readonly PropertyKey[];

/** Type-checks the CEL condition at a path; false when it has an error. Problems point inside the expression. */
export function checkCondition(text: PolicyText, at: Path, scope: ExpressionScope, known: KnownNames): boolean {
	const node = text.document?.getIn([...at], true);
	if (!isScalar(node) || node.value === null) return true;
	const expression = typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
	const start = node.range?.[0] ?? 0;
	const end = node.range?.[1] ?? start;
	let isValid = true;
	for (const problem of checkExpression(expression, scope, text.full ? {} : known)) {
		text.report(problem.severity, sourceOffset(text.source, { start, end }, expression, problem.offset), problem.message, problem.fix);
		if (problem.severity === "error") isValid = false;
	}
	return isValid;
}

/** Checks that the sites of a rule exist; false when one does not. `siteIds` null: not known, so only likely typos are warned of. */
export function checkSites(text: PolicyText, at: Path, { effect }: Pick<Rule, "effect">, siteIds: readonly string[] | null): boolean {
	if (effect.kind !== "deny" && effect.kind !== "allow" && effect.kind !== "adopt" && effect.kind !== "prewarm") return true;
	const words = effect.kind === "adopt" || effect.kind === "prewarm" ? [] : ["cloud", "owned"];
	let isValid = true;
	for (const [index, site] of effect.sites.entries()) {
		if (words.includes(site) || siteIds?.includes(site)) continue;
		const offset = text.offsetOf([...at, effect.kind, "sites", index]);
		if (siteIds) {
			text.report("error", offset, `There is no site "${site}".`, suggestName(site, [...words, ...siteIds]));
			isValid = false;
			continue;
		}
		const meant = nearestName(site, words);
		if (meant) text.report("warning", offset, `"${site}" is treated as a site ID.`, `Did you mean ${meant}?`);
	}
	return isValid;
}

/** Warns about effects that depend on measurements that this installation does not have. */
export function checkMeasures(text: PolicyText, at: Path, { effect }: Pick<Rule, "effect">, measures: readonly Measure[]): void {
	if (effect.kind === "limit") {
		const lifetime = "Add instanceHours: it always applies, and bounds what a forgotten instance can cost.";
		const warn = (field: string, what: string) =>
			text.report(
				"warning",
				text.keyOffsetOf([...at, "limit", field]),
				`${field} has no effect: ${what} is not measured on this installation.`,
				lifetime,
			);
		if (effect.idleMs !== null && !measures.includes("idle")) warn("idleMinutes", "idle time");
		if (effect.gpuUtilisationBelow !== null && !measures.includes("gpu_utilisation")) warn("gpuUtilisationBelow", "GPU utilization");
	}
	if (effect.kind === "prewarm" && effect.state === "stopped") {
		const needed = effect.capacityType === "spot" ? "stopped_spot" : "stopped_machines";
		if (!measures.includes(needed))
			text.report(
				"warning",
				text.keyOffsetOf([...at, "prewarm"]),
				needed === "stopped_spot"
					? "prewarm has no effect: spot machines are not stopped, only ended."
					: "prewarm has no effect: no connected cloud keeps machines stopped. AWS, Azure and Google Cloud do, on demand, with a known disk price.",
				"Write state: running to keep running machines. Compare both with spillway simulate.",
			);
	}
	if (effect.kind !== "defer" || measures.includes(effect.to === "greener" ? "grid_forecast" : "price_forecast")) return;
	const isGreener = effect.to === "greener";
	text.report(
		"warning",
		text.keyOffsetOf([...at, "defer"]),
		`defer has no effect: there is no ${isGreener ? "forecast of grid carbon intensity" : "price forecast"} yet, so jobs start immediately.`,
		isGreener
			? "Import the grid's hourly intensity (spillway carbon import). The rule can stay."
			: "The rule can stay: a forecast needs one week of spot prices.",
	);
}
