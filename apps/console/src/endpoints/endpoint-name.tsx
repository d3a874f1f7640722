import { endpointNames } from './endpoint-names.ts';
import { hrefOf } from '../navigation/location.ts';
import { ShortId } from '../elements/short-id.tsx';

/** The name of an endpoint, else its id. */
export function EndpointName({ endpointId, isLink = true }: { endpointId: string; isLink?: boolean }) {
  const name = endpointNames.value.get(endpointId);
  const text = name ?? <ShortId id={endpointId} />;
  return isLink ? <a href={hrefOf(`/endpoints/${endpointId}`)}>{text}</a> : <span title={endpointId}>{text}</span>;
}
