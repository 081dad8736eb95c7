"use client";
import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";

const ON_THE_SERVER =
	"The server hit an unexpected error. Try again. If it persists, give the request ID to a platform engineer, who can find it in the web server log.";

/** Error page for a failure of the whole screen. Panels handle their own errors. */
export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
	const router = useRouter();
	const id = error.digest ?? null;
	const described = describeError(error);
	const requestId = id ?? (described.kind === "failed" ? described.requestId : null);
	// Refresh the server data first: rendering the same cached response would fail again.
	const again = () =>
		startTransition(() => {
			router.refresh();
			reset();
		});
	return (
		<>
			<PageHeader title="Error" />
			<PageBody>
				<Panel>
					<ErrorState
						title="Could not load this screen"
						detail={id === null ? described.detail : ON_THE_SERVER}
						requestId={requestId}
						onRetry={again}
					/>
				</Panel>
			</PageBody>
		</>
	);
}
