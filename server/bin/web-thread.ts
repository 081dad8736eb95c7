import { serveCalls } from "#server/services/core/threads/serve-calls.ts";
import { completeAt } from "#server/services/governance/policy/complete.ts";
import { judgeText } from "#server/services/governance/policy/judge-text.ts";
import { mergeTexts } from "#server/services/policy/merge.ts";
import { planDecisionPdf } from "#server/services/reporting/plan-decision/pdf.ts";
import { statementPdf } from "#server/services/reporting/statement/pdf.ts";

/** A thread of the web server: what takes tens of milliseconds or more and needs no database. */
serveCalls({
	"policy.check": judgeText,
	"policy.complete": completeAt,
	"policy.merge": mergeTexts,
	"statement.pdf": statementPdf,
	"plan.decision.pdf": planDecisionPdf,
});
