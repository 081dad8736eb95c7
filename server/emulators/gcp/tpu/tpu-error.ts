/** HTTP status of google.rpc.Code names, as the TPU API reports them. Source: google/rpc/code.proto. */
const HTTP_STATUS: Readonly<Record<string, number>> = {
	INVALID_ARGUMENT: 400,
	FAILED_PRECONDITION: 400,
	UNAUTHENTICATED: 401,
	PERMISSION_DENIED: 403,
	NOT_FOUND: 404,
	ALREADY_EXISTS: 409,
	RESOURCE_EXHAUSTED: 429,
	INTERNAL: 500,
	UNAVAILABLE: 503,
};

/** An error response in the format of Google's newer APIs. */
export class TpuError extends Error {
	override name = "TpuError";
	readonly status: string;
	readonly httpStatus: number;
	constructor(status: string, message: string) {
		super(message);
		this.status = status;
		this.httpStatus = HTTP_STATUS[status] ?? 400;
	}
}
