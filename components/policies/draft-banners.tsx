"use client";
import type { ReactNode } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import type { useDraft } from "./use-draft.ts";

type DraftBannersProps = {
	draft: ReturnType<typeof useDraft>;
	active: { version: number; message: string };
	/** Why validation failed to run. */
	error: unknown;
	onMerge: () => void;
};

/** Draft warnings to read before editing. */
export function DraftBanners({ draft, active, error, onMerge }: DraftBannersProps) {
	const { state, baseVersion } = draft;
	return (
		<>
			{draft.restored !== "published" && state.kind !== "elsewhere" && baseVersion === active.version && (
				<Banner>Unpublished draft restored{draft.restored === "browser" ? " from this browser" : ""}.</Banner>
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
					<b className="font-semibold">Version {active.version} was published since this draft started</b> from version {baseVersion}
					{active.message && `: “${active.message}”`}. Merge before publishing; your changes are kept.
				</Banner>
			)}
			{state.kind === "elsewhere" && (
				<Banner
					tone="warn"
					action={
						<>
							<Button size="sm" onClick={() => void draft.resolve("theirs")}>
								Load the newer draft
							</Button>
							<Button size="sm" onClick={() => void draft.resolve("mine")}>
								Keep this draft
							</Button>
						</>
					}
				>
					This draft was saved in another window after you opened it here.
				</Banner>
			)}
			{state.kind === "here" && (
				<Banner tone="warn">Saved in this browser only; the server rejected it: {state.why} Retrying every ten seconds.</Banner>
			)}
			{error !== null && error !== undefined && <Banner tone="warn">Could not validate the draft: {describeError(error).detail}</Banner>}
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
