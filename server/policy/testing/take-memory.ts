import { checkExpression } from "../check-expression.ts";
import { completePolicy } from "../complete.ts";
import { evaluateExpression } from "../expression.ts";
import { JobFacts } from "../job-facts.ts";
import { matchesFamily } from "../match-pattern.ts";
import { mergePolicies } from "../merge-policies.ts";
import { parsePolicy } from "../parse-policy.ts";
import type { ParsePolicyOptions } from "../types.ts";
import { aJob, anOffer } from "./builders.ts";
import { filled, HARD, longCondition, RUNS } from "./hard-texts.ts";

/**
 * Runs all calls that users can trigger, one after another, on adversarial texts. policy.memory.test.ts runs it in a process
 * with limited memory: it succeeds when no call exceeded the limit; otherwise V8 ends the process.
 */
const texts: { text: string; known: ParsePolicyOptions }[] = [
	...HARD.map(([, text, known]) => ({ text, known })),
	...RUNS.flatMap(filled).map((text) => ({ text, known: {} })),
];
for (const { text, known } of texts) {
	parsePolicy(text, known);
	const { teams = [], places = [], instanceTypes = [] } = known;
	completePolicy(text, text.length >> 1, { siteIds: ["home"], teams, places, instanceTypes });
	mergePolicies({ base: text, mine: `${text}\na: 1`, theirs: `b: 2\n${text}` });
	// Both sides changed every line: nothing is common, and everything is compared.
	mergePolicies({ base: text, mine: text.replaceAll("\n", " #\n"), theirs: text.replaceAll("\n", "  #\n") });
}

// The caches across texts are bounded too: thousands of different conditions, and of patterns against types.
const job = new JobFacts(aJob());
let answered = 0;
for (let i = 0; i < 1_500; i++) {
	const condition = longCondition(i);
	if (i === 0 && checkExpression(condition, "job").some((p) => p.severity === "error")) throw new Error("the condition is not accepted");
	if (evaluateExpression(condition, { job }).error === null) answered++;
}
if (answered !== 1_500) throw new Error("a condition had no answer");
const places = Array.from({ length: 2_000 }, (_, i) => anOffer({ provider: "azure", instanceType: `Standard_type_${i}` }));
for (let pattern = 0; pattern < 500; pattern++) for (const place of places) matchesFamily(`Standard_*_x${pattern}`, place);
