"use client";
import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";

const ON_THE_SERVER =
	"The server met something that it did not expect. Try again; when it fails again, give the request's id to a platform engineer, who finds it in the log of the web server.";

/** A screen that failed as a whole; what fails within a panel is told there. */
export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
	const router = useRouter();
	const id = error.digest ?? null;
	const told = describeError(error);
	const requestId = id ?? (told.kind === "failed" ? told.requestId : null);
	// What the server drew is asked for again: drawing the same answer once more would fail the same way.
	const again = () =>
		startTransition(() => {
			router.refresh();
			reset();
		});
	return (
		<>
			<PageHeader title="This screen failed" />
			<PageBody>
				<Panel>
					<ErrorState
						title="This screen could not be shown"
						detail={id === null ? told.detail : ON_THE_SERVER}
						requestId={requestId}
						onRetry={again}
					/>
				</Panel>
			</PageBody>
		</>
	);
}
