"use client";
import { type ReactNode, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { readOn } from "#components/trpc/read-on.ts";
import { Button, type ButtonSize, type ButtonVariant } from "#components/ui/button.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";

interface Pages {
	data: { pages: readonly unknown[] };
	isFetchingNextPage: boolean;
	fetchNextPage: Parameters<typeof readOn>[1];
}

type MoreButtonProps = {
	pages: Pages;
	/** The object of "Could not load …": "more charges". */
	what: string;
	variant?: ButtonVariant;
	size?: ButtonSize;
	children: ReactNode;
};

/** Loads the next page of a list. An error appears next to the button and keeps the loaded rows. */
export function MoreButton({ pages, what, children, ...look }: MoreButtonProps) {
	const { data, isFetchingNextPage, fetchNextPage } = pages;
	const shown = data.pages.length;
	const [attempt, setAttempt] = useState<{ shown: number; error: unknown }>({ shown, error: null });
	const failed = attempt.error !== null && attempt.shown === shown && !isFetchingNextPage;
	const load = async () => {
		setAttempt({ shown, error: null });
		setAttempt({ shown, error: await readOn(shown, fetchNextPage) });
	};
	return (
		<span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
			<Button {...look} busy={isFetchingNextPage} onClick={() => void load()}>
				{failed ? "Try again" : children}
			</Button>
			{failed && <Failure what={what} error={attempt.error} />}
		</span>
	);
}

function Failure({ what, error }: { what: string; error: unknown }) {
	const failure = describeError(error);
	return (
		<span role="alert" className="text-left text-xs text-pretty text-risk-ink">
			Could not load {what}. {failure.detail}
			{failure.kind === "failed" && failure.requestId !== null && (
				<>
					{" "}
					Request <CopyId value={failure.requestId} />
				</>
			)}
		</span>
	);
}
