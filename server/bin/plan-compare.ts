import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SpillwayError } from "#server/kernel/errors.ts";
import { assess } from "#server/plan/assess.ts";
import { modelNamed } from "#server/plan/candidates/prices.ts";
import { buildScenario, SCENARIO_FILE } from "#server/plan/compare/build-scenario.ts";
import type { Outlook } from "#server/plan/compare/finance.ts";
import { readCard, shippedCard } from "#server/plan/compare/owned-money.ts";
import { type PlanPolicy, readPlanPolicy, shippedPolicies } from "#server/plan/compare/policies.ts";
import { ownedGpus } from "#server/plan/compare/resize.ts";
import { DEFAULT_START_MS } from "#server/plan/history/read-history.ts";
import { tracePathOf } from "#server/plan/open-traces.ts";
import { historyOf, keepLastDays, ownedModel } from "#server/plan/prepare.ts";
import type { Study } from "#server/plan/study.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import { readScenarioFile } from "#server/simulation/scenario-file/read-scenario.ts";
import { readTextFile, readTraceFile } from "#server/simulation/trace-file/read-trace.ts";
import type { PlanOptions } from "./plan-options.ts";
import { SHIPPED_FACTS } from "./simulate-facts.ts";

/**
 * Reads the files of a comparison.
 * @throws SpillwayError `not_found` or `invalid_input` naming the file; `precondition_failed` without owned GPUs.
 */
export async function prepareStudy(options: PlanOptions): Promise<Study> {
	const trace = await readTraceFile(tracePathOf(options.trace), { lenient: true, acceleratorsNamed });
	const jobs = keepLastDays(trace.jobs, options.days);
	const startMs = trace.recordedStartMs ?? options.startMs ?? null;
	const profile = (gpus: number | undefined, accelerator: string) =>
		assess(historyOf({ ...trace, jobs }, startMs), {
			source: options.trace,
			gpus,
			accelerator,
			isRedacted: options.redact,
			commitmentPercent: options.commitmentPercent,
		});
	const given = options.scenario === undefined ? null : readScenarioFile(options.scenario, scenarioOptions(options, startMs)).scenario;
	const accelerator = given?.pools[0]?.accelerator ?? (options.accelerator ? modelNamed(options.accelerator) : ownedModel(jobs));
	const assessment = profile(given ? ownedGpus(given) : options.gpus, accelerator);
	const gpus = given ? ownedGpus(given) : assessment.capacity.gpus;
	if (gpus === 0)
		throw new SpillwayError("precondition_failed", "The scenario has no owned GPUs to compare with.", {
			fix: "Add a pool, or give --gpus N.",
		});
	const built = given
		? null
		: buildScenario({ gpus, accelerator, startMs: startMs ?? DEFAULT_START_MS, seed: options.seed ?? 1, facts: SHIPPED_FACTS });
	const scenario = given ?? built?.scenario;
	if (!scenario) throw new RangeError("a comparison has a scenario");
	const policy = readPolicy(options.policy);
	if (options.saveScenario !== undefined) save(options.saveScenario, built?.texts ?? {}, policy);
	const card = options.card
		? readCard(readTextFile(options.card, "rate card"), options.card, { accelerator, gpus })
		: shippedCard(accelerator, gpus, scenario.startMs);
	return { assessment, jobs, scenario, card, policy, outlook: outlookOf(options) };
}

function scenarioOptions({ seed }: PlanOptions, startMs: number | null) {
	return { facts: SHIPPED_FACTS, recordedStartMs: startMs, ...(seed === undefined ? {} : { seed }) };
}

function readPolicy(file: string | undefined): PlanPolicy | null {
	if (file === undefined) return null;
	const policy = readPlanPolicy("own", "Burst under your policy", readTextFile(file, "policy"));
	return { ...policy, label: `Burst under ${policy.policy.name}` };
}

function outlookOf({ horizonMonths, discountPercent, growthPercent, deliveryMonths }: PlanOptions): Partial<Outlook> {
	return {
		...(horizonMonths !== undefined && { horizonMonths }),
		...(discountPercent !== undefined && { discountRate: discountPercent / 100 }),
		...(growthPercent !== undefined && { growthPerYear: growthPercent / 100 }),
		...(deliveryMonths !== undefined && { deliveryMonths }),
	};
}

/** Inputs for `spillway simulate` that give the same totals: the scenario, its files and the policies. */
function save(folder: string, texts: Readonly<Record<string, string>>, own: PlanPolicy | null): void {
	try {
		mkdirSync(folder, { recursive: true });
		for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), text);
		for (const { id, text } of [...shippedPolicies(), ...(own ? [own] : [])]) writeFileSync(path.join(folder, `${id}.yaml`), text);
	} catch (cause) {
		throw new SpillwayError("unavailable", `--save-scenario: could not write ${SCENARIO_FILE} to ${folder}.`, {
			fix: "Name another folder.",
			cause,
		});
	}
}
