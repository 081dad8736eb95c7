"use client";
import type { ReactNode } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import type { useDraft } from "./use-draft.ts";

type DraftBannersProps = {
	draft: ReturnType<typeof useDraft>;
	active: { version: number; message: string };
	/** Why the check has no answer. */
	error: unknown;
	onMerge: () => void;
};

/** What a person must know of their draft before they go on with it. */
export function DraftBanners({ draft, active, error, onMerge }: DraftBannersProps) {
	const { state, baseVersion } = draft;
	return (
		<>
			{draft.restored !== "published" && state.kind !== "elsewhere" && baseVersion === active.version && (
				<Banner>This is your draft as you left it{draft.restored === "browser" ? ", from this browser" : ""}.</Banner>
			)}
			{baseVersion !== active.version && (
				<Banner
					tone="warn"
					action={
						<Button size="sm" onClick={onMerge}>
							Merge
						</Button>
					}
				>
					<b className="font-semibold">Version {active.version} was published since this draft was begun</b> from version {baseVersion}
					{active.message && `: “${active.message}”`}. Nothing of yours is lost; merge the two before you publish.
				</Banner>
			)}
			{state.kind === "elsewhere" && (
				<Banner
					tone="warn"
					action={
						<>
							<Button size="sm" onClick={() => void draft.resolve("theirs")}>
								Load that one
							</Button>
							<Button size="sm" onClick={() => void draft.resolve("mine")}>
								Keep this one
							</Button>
						</>
					}
				>
					This draft was saved in another window of yours since it was opened here.
				</Banner>
			)}
			{state.kind === "here" && (
				<Banner tone="warn">
					The draft is kept in this browser; the server did not take it: {state.why} It is tried again every ten seconds.
				</Banner>
			)}
			{error !== null && error !== undefined && <Banner tone="warn">The text could not be checked: {describeError(error).detail}</Banner>}
		</>
	);
}

function Banner({ tone = "info", action, children }: { tone?: "info" | "warn"; action?: ReactNode; children: ReactNode }) {
	return (
		<div
			role="status"
			className={cn(
				"flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border px-4 py-2.5",
				tone === "warn" ? "bg-warn-soft" : "bg-sunken",
			)}
		>
			<p className="min-w-0 flex-1 basis-80 text-pretty text-ink-2 [&_b]:text-ink">{children}</p>
			{action && <span className="flex gap-2">{action}</span>}
		</div>
	);
}
