/** An error in the API's own format: `Status`. */
export class ApiError extends Error {
	readonly code: number;
	readonly reason: string;

	constructor(code: number, reason: string, message: string) {
		super(message);
		this.code = code;
		this.reason = reason;
	}

	toStatus(): unknown {
		const { code, reason, message } = this;
		return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
	}
}
