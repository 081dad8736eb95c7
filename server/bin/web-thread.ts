import { serveCalls } from "#server/services/core/threads/serve-calls.ts";
import { readPipeline } from "#server/services/decision/pipeline/input.ts";
import { completeAt } from "#server/services/governance/policy/complete.ts";
import { judgeText } from "#server/services/governance/policy/judge-text.ts";
import { readPriceFile } from "#server/services/ledger/rate-card/price-file.ts";
import { mergeTexts } from "#server/services/policy/merge.ts";
import { readRateBatches } from "#server/services/pricing/currency/rate-batches.ts";
import { readIntensity } from "#server/services/pricing/energy/import-intensity.ts";
import { readListPrices } from "#server/services/pricing/offer/list-price-file.ts";
import { planDecisionPdf } from "#server/services/reporting/plan-decision/pdf.ts";
import { statementPdf } from "#server/services/reporting/statement/pdf.ts";

/** A worker thread of the web server, for work that takes tens of milliseconds or more and needs no database. */
serveCalls({
	"pipeline.read": readPipeline,
	"policy.check": judgeText,
	"policy.complete": completeAt,
	"policy.merge": mergeTexts,
	"electricity.read": readPriceFile,
	"intensity.read": readIntensity,
	"rates.read": readRateBatches,
	"prices.read": readListPrices,
	"statement.pdf": statementPdf,
	"plan.decision.pdf": planDecisionPdf,
});
