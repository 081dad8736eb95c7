"use client";
import type { ReactNode } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { readOn } from "#components/trpc/read-on.ts";
import { Button, type ButtonSize, type ButtonVariant } from "#components/ui/button.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";

interface Pages {
	data: { pages: readonly unknown[] };
	error: unknown;
	isFetchingNextPage: boolean;
	isFetchNextPageError: boolean;
	fetchNextPage: Parameters<typeof readOn>[1];
}

type MoreButtonProps = {
	pages: Pages;
	/** The subject of "could not be loaded": "More charges". */
	what: string;
	variant?: ButtonVariant;
	size?: ButtonSize;
	children: ReactNode;
};

/** Reads the next page of a list. One that fails leaves what is shown where it is, and is told here: no panel is lost to it. */
export function MoreButton({ pages, what, children, ...look }: MoreButtonProps) {
	const { data, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
	const failed = isFetchNextPageError && !isFetchingNextPage;
	return (
		<span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
			<Button {...look} busy={isFetchingNextPage} onClick={() => void readOn(data.pages.length, fetchNextPage)}>
				{failed ? "Try again" : children}
			</Button>
			{failed && <Failure what={what} error={pages.error} />}
		</span>
	);
}

function Failure({ what, error }: { what: string; error: unknown }) {
	const told = describeError(error);
	return (
		<span role="alert" className="text-left text-xs text-pretty text-risk-ink">
			{what} could not be loaded. {told.detail}
			{told.kind === "failed" && told.requestId !== null && (
				<>
					{" "}
					Request <CopyId value={told.requestId} />
				</>
			)}
		</span>
	);
}
