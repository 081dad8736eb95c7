import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { getPlanDecision } from "#server/services/reporting/plan-decision/get.ts";
import { planDecisionPdf } from "#server/services/reporting/plan-decision/pdf.ts";

/** The decision of a study as a PDF, the same for REST and for signed-in people. */
export async function planDecisionFile(ctx: ServiceContext, id: string): Promise<{ bytes: Buffer; headers: Record<string, string> }> {
	const view = await getPlanDecision(ctx, id);
	const bytes = Buffer.from(await offLoop(ctx, "plan.decision.pdf", planDecisionPdf, view));
	return {
		bytes,
		headers: {
			"content-type": "application/pdf",
			"content-length": String(bytes.length),
			"content-disposition": `attachment; filename="spillway-plan-${view.study.createdAt.slice(0, 10)}.pdf"`,
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
		},
	};
}

/** A page's download. */
export async function downloadPlanDecision(ctx: ServiceContext, id: string): Promise<Response> {
	const { bytes, headers } = await planDecisionFile(ctx, id);
	return new Response(new Uint8Array(bytes), { headers });
}
