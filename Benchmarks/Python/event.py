"""The arguments of a call of a usual size."""


def event(number):
    return (
        'PURCHASE',
        {
            'total': 149.99, 'currency': 'EUR',
            'items': [{'sku': 'A-1', 'qty': 2, 'name': 'Käse'}, {'sku': 'B-22', 'qty': 1}],
            'gift': True, 'note': None, 'order': number,
        },
        {'flow_id': 'checkout_v2', 'session_number': 17, 'screen': 'Übersicht', 'locale': 'de-AT'},
    )
